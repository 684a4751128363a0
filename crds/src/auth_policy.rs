//! AuthPolicy: what a request must show to pass.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema, core::Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{form, identity};

/// What a request must show to pass a Gateway, a listener, a route or a rule.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "latchkey.dev",
    version = "v1alpha1",
    kind = "AuthPolicy",
    namespaced,
    status = "AuthPolicyStatus",
    doc = "An AuthPolicy says what a request must show to pass a Gateway, a listener, a route or a rule.",
    category = "latchkey",
    shortname = "lkap",
    printcolumn(
        name = "Targets",
        type_ = "string",
        json_path = ".spec.targetRefs[*].name",
        description = "What the policy holds for; empty: only rules that name it in a filter"
    ),
    printcolumn(
        name = "Methods",
        type_ = "string",
        json_path = ".spec.methods[*].type",
        description = "The ways to pass"
    ),
    printcolumn(
        name = "Override",
        type_ = "boolean",
        json_path = ".spec.override",
        description = "Whether it must pass in addition to more specific policies"
    ),
    printcolumn(
        name = "Accepted",
        type_ = "string",
        json_path = ".status.ancestors[0].conditions[?(@.type==\"Accepted\")].status",
        description = "Whether it holds at its first ancestor; the status names all"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
#[x_kube(validation = (
    "!has(self.override) || !self.override || (has(self.targetRefs) && self.targetRefs.size() > 0 && self.targetRefs.all(target, target.kind == 'Gateway'))",
    AuthPolicySpec::OVERRIDE_TARGETS,
))]
pub struct AuthPolicySpec {
    /// What the policy holds for: Gateways (or one listener of them) and HTTPRoutes of its own
    /// namespace, at most 16. The most specific policy replaces less specific ones whole (HTTPRoute over
    /// listener over Gateway). Default: none; then it holds only for HTTPRoute rules that name it in an
    /// ExtensionRef filter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::TARGETS))]
    pub target_refs: Vec<TargetRef>,
    /// The ways to pass, in order: the first that finds a credential in the request decides, and a wrong
    /// credential is a 401. At least one; each type at most once.
    #[schemars(length(max = form::METHODS))]
    #[x_kube(
        validation = ("self.size() > 0", AuthPolicySpec::NO_METHOD),
        validation = (
            "self.all(method, self.exists_one(other, other.type == method.type))",
            AuthPolicySpec::METHOD_TWICE,
        )
    )]
    pub methods: Vec<Method>,
    /// The namespaces whose credentials may pass, at most 64; '*' admits all. Default: the policy's own
    /// namespace alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::NAMESPACES), inner(length(max = form::NAMESPACE_LENGTH)))]
    #[x_kube(validation = form::NAMESPACE_OR_ALL.rule_for_each())]
    pub consumer_namespaces: Vec<String>,
    /// Removes the credential, at all configured places, from what the upstream receives. Default: true.
    #[serde(default = "yes")]
    pub hide_credentials: bool,
    /// What becomes of CORS preflights: OPTIONS requests with an Origin and an
    /// Access-Control-Request-Method, and without content. Browsers never add a credential to them.
    /// Authenticate: they are judged like any other request. Pass: those without a credential pass, and
    /// the upstream sees X-Anonymous-Consumer: true. Default: Authenticate.
    #[serde(default, skip_serializing_if = "Preflight::is_default")]
    pub preflight: Preflight,
    /// The policy must pass in addition to whatever more specific policies ask for, so that nobody
    /// below can open what it closes. Needs targetRefs, all of kind Gateway. Default: false.
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

impl AuthPolicySpec {
    pub(crate) const OVERRIDE_TARGETS: &str =
        "override needs at least one target, and targets of kind Gateway only";
    pub(crate) const NO_METHOD: &str =
        "must name at least one method; to let everybody in, say so with {type: Anonymous}";
    pub(crate) const METHOD_TWICE: &str =
        "must name each type once; put all places of a key into one extractFrom";
}

fn yes() -> bool {
    true
}

/// A Gateway (or one listener of it) or an HTTPRoute of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
#[x_kube(validation = (
    "!has(self.sectionName) || self.kind == 'Gateway'",
    TargetRef::SECTION_OF_GATEWAY,
))]
pub struct TargetRef {
    /// The target's API group: gateway.networking.k8s.io.
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = ("self == 'gateway.networking.k8s.io'", TargetRef::GROUP))]
    pub group: String,
    /// The target's kind: Gateway or HTTPRoute.
    #[schemars(length(max = form::NAMESPACE_LENGTH))]
    #[x_kube(validation = ("self in ['Gateway', 'HTTPRoute']", TargetRef::KIND))]
    pub kind: String,
    /// The target's metadata.name, in the policy's own namespace.
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = form::NAME.rule())]
    pub name: String,
    /// The name of one listener of a Gateway. Default: all listeners. While the Gateway has no listener
    /// of that name, all of its routes answer 503.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = form::NAME.rule())]
    pub section_name: Option<String>,
}

impl TargetRef {
    pub(crate) const GROUP: &str = "must be gateway.networking.k8s.io";
    pub(crate) const KIND: &str = "must be Gateway or HTTPRoute";
    pub(crate) const SECTION_OF_GATEWAY: &str =
        "sectionName names a listener, which only a Gateway has; remove it";
}

/// One way to pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
#[x_kube(validation = ("!has(self.apiKey) || self.type == 'APIKey'", Method::SETTINGS_OF_OTHER))]
pub struct Method {
    /// APIKey: a key of a Credential. Anonymous: requests without any credential pass too, and the
    /// upstream sees X-Anonymous-Consumer: true; a wrong credential is a 401 all the same.
    #[serde(rename = "type")]
    pub type_: MethodType,
    /// Settings of type APIKey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKeyMethod>,
}

impl Method {
    pub(crate) const SETTINGS_OF_OTHER: &str = "apiKey belongs to type APIKey; remove it or change the type";
}

/// The ways to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum MethodType {
    /// A key of a Credential.
    APIKey,
    /// Openness, said out loud: applies where no credential was presented.
    Anonymous,
}

/// What becomes of CORS preflights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preflight {
    /// They are judged like any other request.
    #[default]
    Authenticate,
    /// Those without a credential pass.
    Pass,
}

impl Preflight {
    /// What is left out, so that a server fills in nothing that an older program would not know.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Where an API key may stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct ApiKeyMethod {
    /// The places where a request may show its key, at most 16, each once. Two values over all places
    /// are a 401. Default: the header X-API-Key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::PLACES))]
    #[x_kube(
        validation = (
            "self.all(place, !has(place.header) || self.exists_one(other, has(other.header) && other.header.name.lowerAscii() == place.header.name.lowerAscii()))",
            ApiKeyMethod::HEADER_TWICE,
        ),
        validation = (
            "self.all(place, !has(place.query) || self.exists_one(other, has(other.query) && other.query.name == place.query.name))",
            ApiKeyMethod::QUERY_TWICE,
        )
    )]
    pub extract_from: Vec<Place>,
}

impl ApiKeyMethod {
    pub(crate) const HEADER_TWICE: &str =
        "must name each header once, in any case; its key would count as two";
    pub(crate) const QUERY_TWICE: &str = "must name each query parameter once; its key would count as two";
}

/// One place: exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
#[x_kube(validation = ("has(self.header) != has(self.query)", Place::ONE_OF))]
pub struct Place {
    /// A header. Its whole value is the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<HeaderPlace>,
    /// A query parameter. Keys in URLs end up in logs of others; prefer a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<QueryPlace>,
}

impl Place {
    pub(crate) const ONE_OF: &str = "must have exactly one of header and query";
}

/// A header that may hold a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct HeaderPlace {
    /// The header's name, in any case, at most 128 characters. Not one that frames the message or ends
    /// with the connection (such as Host, Content-Length, Connection), and none of those that tell
    /// the upstream who calls (such as X-Consumer-ID).
    #[schemars(length(max = form::PLACE_LENGTH))]
    #[x_kube(validation = form::HEADER.rule(), validation = HeaderPlace::reserved_rule())]
    pub name: String,
}

impl HeaderPlace {
    /// Headers that frame a message or concern one connection (RFC 9110, sections 7.2, 7.6.1, 8.6, 10.1.1
    /// and 11.7; RFC 9112, section 6): what stands in them never reaches a policy or an upstream unchanged.
    const OF_THE_CONNECTION: [&str; 12] = [
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];

    pub(crate) const RESERVED: &str = "must not be a header of the connection or one that tells the upstream who calls; use one such as X-API-Key";

    fn reserved() -> impl Iterator<Item = &'static str> {
        Self::OF_THE_CONNECTION.into_iter().chain(identity::ALL)
    }

    /// Whether no key may stand in this header, in any case and with `_` for `-`.
    pub(crate) fn is_reserved(name: &str) -> bool {
        Self::reserved().any(|reserved| identity::matches(name, reserved))
    }

    fn reserved_rule() -> Rule {
        let names: Vec<_> = Self::reserved().map(|name| format!("'{name}'")).collect();
        Rule::new(format!(
            "!(self.lowerAscii().replace('_', '-') in [{}])",
            names.join(", ")
        ))
        .message(Self::RESERVED)
    }
}

/// A query parameter that may hold a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct QueryPlace {
    /// The parameter's name as it is after percent-decoding, compared by case; printable ASCII
    /// without blanks, at most 128 characters.
    #[schemars(length(max = form::PLACE_LENGTH))]
    #[x_kube(validation = form::QUERY.rule())]
    pub name: String,
}

/// What controllers say of an AuthPolicy (the shape of Gateway API's policies, GEP-713).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::tidy)]
pub struct AuthPolicyStatus {
    /// What the policy holds for, at most 16, and what became of it there. One without an element for an
    /// object holds there all the same, if 16 others stand here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::ANCESTORS))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub ancestors: Vec<PolicyAncestorStatus>,
}

/// What became of an AuthPolicy at one Gateway, listener or route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::tidy)]
pub struct PolicyAncestorStatus {
    /// The Gateway, listener or HTTPRoute.
    pub ancestor_ref: AncestorRef,
    /// Who says it, such as latchkey.dev/gateway-controller.
    pub controller_name: String,
    /// Accepted: whether the policy holds there, and if not, why and what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// A Gateway, a listener of one, or an HTTPRoute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::tidy)]
pub struct AncestorRef {
    /// Its API group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its namespace. Default: that of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// The name of one listener of a Gateway. Default: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,
    /// The port of listeners of a Gateway. Default: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}
