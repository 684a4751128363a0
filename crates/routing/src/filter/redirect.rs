//! `RequestRedirect`: where the client is sent instead.

use std::fmt::Write;

use http::StatusCode;

use super::PathChange;

/// A redirect. What it does not say is as the client asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// 301, 302, 303, 307 or 308.
    pub status: StatusCode,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) hostname: Option<Box<str>>,
    pub(crate) port: Option<u16>,
    pub(crate) path: Option<PathChange>,
}

/// What is spoken beneath a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
}

/// What a client asked for, as it stands in a URL.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'r> {
    /// What it spoke.
    pub scheme: Scheme,
    /// Without a port; an IPv6 literal has its brackets. Empty if the client named none.
    pub host: &'r str,
    /// The port of the listener, or of a trusted proxy before it.
    pub port: u16,
    /// Beginning with a slash.
    pub path: &'r str,
    /// Without its `?`.
    pub query: Option<&'r str>,
}

impl Scheme {
    /// As it stands in a URL.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Redirect {
    /// The value of `Location`; `None` if neither the client nor the redirect names a host.
    ///
    /// Without a port of its own a redirect goes to the well-known one of the scheme that it names, or
    /// else to the listener's. A scheme's well-known port is not written.
    pub fn location(&self, asked: &Asked<'_>) -> Option<String> {
        let scheme = self.scheme.unwrap_or(asked.scheme);
        let host = self.hostname.as_deref().unwrap_or(asked.host);
        if host.is_empty() {
            return None;
        }
        let port = self.port.or(self.scheme.map(Scheme::port)).unwrap_or(asked.port);
        let path = match &self.path {
            Some(change) => change.apply(asked.path),
            None => asked.path.into(),
        };
        let query = asked.query.unwrap_or_default();
        let around = "https://:65535?".len();
        let mut url = String::with_capacity(around + host.len() + path.len() + query.len());
        url.push_str(scheme.as_str());
        url.push_str("://");
        url.push_str(host);
        if port != scheme.port() {
            // A string takes all that is written to it.
            let _ = write!(url, ":{port}");
        }
        url.push_str(&path);
        if !query.is_empty() {
            url.push('?');
            url.push_str(query);
        }
        Some(url)
    }
}

#[cfg(test)]
mod tests;
