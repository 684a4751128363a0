//! The rules of an AuthPolicy.

use super::{Check, Validate, Violation};
use crate::{
    AuthPolicy, AuthPolicySpec,
    auth_policy::{ApiKeyMethod, HeaderPlace, Method, MethodType, Place, TargetRef},
    form,
};

const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";
const GATEWAY: &str = "Gateway";
const HTTP_ROUTE: &str = "HTTPRoute";

impl Validate for AuthPolicy {
    fn validate(&self) -> Vec<Violation> {
        let mut check = Check::default();
        targets(&mut check, &self.spec);
        methods(&mut check, &self.spec.methods);
        check.texts(
            &self.spec.consumer_namespaces,
            form::NAMESPACES,
            "spec.consumerNamespaces",
            &form::NAMESPACE_OR_ALL,
        );
        check.0
    }
}

fn targets(check: &mut Check, spec: &AuthPolicySpec) {
    let targets = &spec.target_refs;
    check.at_most(form::TARGETS, targets.len(), "spec.targetRefs");
    for (index, target) in targets.iter().enumerate() {
        let path = format!("spec.targetRefs[{index}]");
        check.require(
            target.group == GATEWAY_GROUP,
            format_args!("{path}.group"),
            TargetRef::GROUP,
        );
        check.require(
            [GATEWAY, HTTP_ROUTE].contains(&target.kind.as_str()),
            format_args!("{path}.kind"),
            TargetRef::KIND,
        );
        check.text(&target.name, format_args!("{path}.name"), &form::NAME);
        if let Some(section) = &target.section_name {
            check.text(section, format_args!("{path}.sectionName"), &form::NAME);
            check.require(target.kind == GATEWAY, path, TargetRef::SECTION_OF_GATEWAY);
        }
    }
    let gateways_only = !targets.is_empty() && targets.iter().all(|target| target.kind == GATEWAY);
    check.require(
        !spec.overrides || gateways_only,
        "spec",
        AuthPolicySpec::OVERRIDE_TARGETS,
    );
}

fn methods(check: &mut Check, methods: &[Method]) {
    check.require(!methods.is_empty(), "spec.methods", AuthPolicySpec::NO_METHOD);
    check.at_most(form::METHODS, methods.len(), "spec.methods");
    check.require(
        each_once(methods.iter().map(|method| method.type_)),
        "spec.methods",
        AuthPolicySpec::METHOD_TWICE,
    );
    for (index, method) in methods.iter().enumerate() {
        let path = format!("spec.methods[{index}]");
        if let Some(settings) = &method.api_key {
            places(
                check,
                &settings.extract_from,
                &format!("{path}.apiKey.extractFrom"),
            );
            check.require(
                method.type_ == MethodType::APIKey,
                path,
                Method::SETTINGS_OF_OTHER,
            );
        }
    }
}

fn places(check: &mut Check, places: &[Place], path: &str) {
    check.at_most(form::PLACES, places.len(), path);
    let headers = places.iter().filter_map(|place| place.header.as_ref());
    check.require(
        each_once(headers.map(|header| header.name.to_ascii_lowercase())),
        path,
        ApiKeyMethod::HEADER_TWICE,
    );
    let queries = places.iter().filter_map(|place| place.query.as_ref());
    check.require(
        each_once(queries.map(|query| &query.name)),
        path,
        ApiKeyMethod::QUERY_TWICE,
    );
    for (index, place) in places.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if let Some(header) = &place.header {
            let path = format!("{path}.header.name");
            check.text(&header.name, &path, &form::HEADER);
            check.require(
                !HeaderPlace::is_reserved(&header.name),
                path,
                HeaderPlace::RESERVED,
            );
        }
        if let Some(query) = &place.query {
            check.text(&query.name, format_args!("{path}.query.name"), &form::QUERY);
        }
        check.require(
            place.header.is_some() != place.query.is_some(),
            path,
            Place::ONE_OF,
        );
    }
}

/// Whether no item comes twice. Lists are checked before they were cut to their limit, so this sorts
/// rather than comparing each with each.
fn each_once<T: Ord>(items: impl Iterator<Item = T>) -> bool {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.windows(2).all(|pair| pair[0] != pair[1])
}
