//! A Consumer as a request sees it: the values of identity headers, ready to send.

use bytes::Bytes;

/// A Consumer. All texts share one buffer, so that a header value is a slice and costs no copy.
#[derive(Clone, Debug)]
pub struct Consumer {}

impl Consumer {
    /// `metadata.uid`, for `X-Consumer-ID`.
    pub fn uid(&self) -> Bytes {
        unimplemented!()
    }
    /// `metadata.namespace`, for `X-Consumer-Namespace`.
    pub fn namespace(&self) -> Bytes {
        unimplemented!()
    }
    /// `metadata.name`, for logs.
    pub fn name(&self) -> &str {
        unimplemented!()
    }
    /// What upstreams see, for `X-Consumer-Username`.
    pub fn username(&self) -> Bytes {
        unimplemented!()
    }
    /// For `X-Consumer-Custom-ID`.
    pub fn custom_id(&self) -> Option<Bytes> {
        unimplemented!()
    }
    /// The groups, joined by commas, for `X-Consumer-Groups`.
    pub fn groups(&self) -> Option<Bytes> {
        unimplemented!()
    }
}
