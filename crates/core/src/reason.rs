//! The closed lists of reasons: a fine one for metric labels, logs and tools, and the coarse one
//! that a client may see. A client learns nothing about why a key failed.

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $text:literal => $status:literal $client:ident;)+) => {
        /// Why a request ended as it did. The text is a metric label and a log field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Reason { $($(#[$doc])* $variant,)+ }

        impl Reason {
            /// All of them, in the order of their discriminants.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)+];

            /// The text in metrics, logs and tools.
            pub const fn as_str(self) -> &'static str {
                match self { $(Reason::$variant => $text,)+ }
            }

            /// The status code of the gateway's own answer; 0 where the reason does not decide it.
            pub const fn status(self) -> u16 {
                match self { $(Reason::$variant => $status,)+ }
            }

            /// What the client is told.
            pub const fn client(self) -> ClientReason {
                match self { $(Reason::$variant => ClientReason::$client,)+ }
            }
        }
    };
}

reasons! {
    /// The upstream's answer was passed on.
    Served = "served" => 0 None;
    /// The rule sent the client elsewhere.
    Redirected = "redirected" => 0 None;
    /// The client went away before its answer was complete.
    ClientGone = "client_gone" => 0 None;
    /// The request breaks HTTP in a way that two parsers might read differently.
    BadRequest = "bad_request" => 400 BadRequest;
    /// The request's head is larger than the limits on its bytes or fields.
    HeadTooLarge = "head_too_large" => 431 BadRequest;
    /// The request's target is longer than the limit on it.
    UriTooLong = "uri_too_long" => 414 BadRequest;
    /// No credential in any configured place.
    NoCredential = "no_credential" => 401 CredentialMissing;
    /// A configured place was there, but empty.
    EmptyCredential = "empty_credential" => 401 CredentialMissing;
    /// Two values over all places of one method.
    MultipleCredentials = "multiple_credentials" => 401 CredentialInvalid;
    /// No admitted namespace holds this key.
    UnknownKey = "unknown_key" => 401 CredentialInvalid;
    /// More than one admitted namespace holds this key, none of them the policy's own.
    Ambiguous = "ambiguous" => 401 CredentialInvalid;
    /// The Credential's `expirationTime` has passed.
    Expired = "expired" => 401 CredentialInvalid;
    /// The Credential's `notBeforeTime` has not come.
    NotYetValid = "not_yet_valid" => 401 CredentialInvalid;
    /// The Credential is disabled.
    Disabled = "disabled" => 401 CredentialInvalid;
    /// The Credential is being deleted.
    Terminating = "terminating" => 401 CredentialInvalid;
    /// The Credential's Consumer does not exist or cannot be read.
    Orphaned = "orphaned" => 401 CredentialInvalid;
    /// The Consumer is disabled.
    ConsumerDisabled = "consumer_disabled" => 401 CredentialInvalid;
    /// The Consumer's `expirationTime` has passed.
    ConsumerExpired = "consumer_expired" => 401 CredentialInvalid;
    /// The Consumer is being deleted.
    ConsumerTerminating = "consumer_terminating" => 401 CredentialInvalid;
    /// No listener or no rule matches.
    NoRoute = "no_route" => 404 NotFound;
    /// The rule asks for something this version does not do.
    UnsupportedValue = "unsupported_value" => 500 Misconfigured;
    /// The HTTPRoute cannot be read.
    RouteUndecodable = "route_undecodable" => 500 Misconfigured;
    /// The rule's AuthPolicy filter names no AuthPolicy, or there are two of them.
    FilterInvalid = "filter_invalid" => 500 Misconfigured;
    /// The rule has no backend.
    NoBackend = "no_backend" => 500 Misconfigured;
    /// The chosen backend's reference does not resolve.
    BackendInvalid = "backend_invalid" => 500 Misconfigured;
    /// The route has no policy, and such routes are closed.
    NoPolicy = "no_policy" => 503 Unavailable;
    /// The AuthPolicy that holds cannot be honoured.
    PolicyInvalid = "policy_invalid" => 503 Unavailable;
    /// A credential is needed, and the API server was not heard of for longer than `--max-staleness`.
    Stale = "stale" => 503 Unavailable;
    /// The Gateway cannot be read.
    GatewayUndecodable = "gateway_undecodable" => 503 Unavailable;
    /// The process has as many requests under way as it may.
    GatewaySaturated = "gateway_saturated" => 503 Unavailable;
    /// The route has as many requests under way as it may.
    RouteSaturated = "route_saturated" => 503 Unavailable;
    /// The backend has no ready endpoint.
    NoEndpoint = "no_endpoint" => 503 Unavailable;
    /// All connections to the endpoint that the limits allow are in use, and none became free in time.
    UpstreamSaturated = "upstream_saturated" => 503 Unavailable;
    /// The upstream refused or dropped the connection attempt.
    ConnectFailed = "connect_failed" => 502 UpstreamFailed;
    /// The upstream ended the connection before its answer.
    UpstreamReset = "upstream_reset" => 502 UpstreamFailed;
    /// The upstream's answer is not HTTP, or not one we may pass on.
    UpstreamProtocol = "upstream_protocol" => 502 UpstreamFailed;
    /// The connection attempt took too long.
    ConnectTimeout = "connect_timeout" => 504 UpstreamTimeout;
    /// The answer's head took too long.
    ResponseTimeout = "response_timeout" => 504 UpstreamTimeout;
    /// The whole exchange took longer than the rule's `timeouts.request`.
    RequestTimeout = "request_timeout" => 504 UpstreamTimeout;
    /// The upstream took longer for its answer than the rule's `timeouts.backendRequest`.
    BackendTimeout = "backend_timeout" => 504 UpstreamTimeout;
    /// The upstream failed in the middle of an answer that had begun.
    UpstreamAborted = "upstream_aborted" => 0 None;
}

/// What a client is told: the `reason` member of `application/problem+json` answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientReason {
    /// Nothing: the answer is not the gateway's own, or has no body.
    None,
    /// 400, 414, 431.
    BadRequest,
    /// 401, nothing was presented.
    CredentialMissing,
    /// 401, what was presented does not open this door.
    CredentialInvalid,
    /// 404.
    NotFound,
    /// 500.
    Misconfigured,
    /// 502.
    UpstreamFailed,
    /// 503.
    Unavailable,
    /// 504.
    UpstreamTimeout,
}

impl ClientReason {
    /// The text that the client sees.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::BadRequest => "bad_request",
            Self::CredentialMissing => "credential_missing",
            Self::CredentialInvalid => "credential_invalid",
            Self::NotFound => "not_found",
            Self::Misconfigured => "misconfigured",
            Self::UpstreamFailed => "upstream_failed",
            Self::Unavailable => "unavailable",
            Self::UpstreamTimeout => "upstream_timeout",
        }
    }
}

#[cfg(test)]
mod tests;
