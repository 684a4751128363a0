//! What of Gateway API this version does.

/// The names of Gateway API 1.6's features that are there, sorted. A feature counts once all that its
/// name promises is there: `Gateway` waits for HTTPS listeners and addresses.
pub const fn supported_features() -> &'static [&'static str] {
    &[
        "GatewayHTTPListenerIsolation",
        "GatewayPort8080",
        "HTTPRoute",
        "HTTPRoute303RedirectStatusCode",
        "HTTPRoute307RedirectStatusCode",
        "HTTPRoute308RedirectStatusCode",
        "HTTPRouteBackendTimeout",
        "HTTPRouteDestinationPortMatching",
        "HTTPRouteHostRewrite",
        "HTTPRouteMethodMatching",
        "HTTPRouteNamedRouteRule",
        "HTTPRouteParentRefPort",
        "HTTPRoutePathRedirect",
        "HTTPRoutePathRewrite",
        "HTTPRoutePortRedirect",
        "HTTPRouteQueryParamMatching",
        "HTTPRouteRequestTimeout",
        "HTTPRouteResponseHeaderModification",
        "HTTPRouteSchemeRedirect",
        "ReferenceGrant",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_sorted_each_is_there_once_and_they_fit_into_a_status() {
        assert!(supported_features().is_sorted_by(|a, b| a < b));
        assert!(supported_features().len() <= 64);
    }
}
