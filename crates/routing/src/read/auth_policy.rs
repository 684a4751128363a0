//! AuthPolicy: compiled if it can be honoured, else what it closes.

use std::{collections::BTreeSet, sync::Arc};

use latchkey_core::{decode, object::ObjectName, tenancy::Admission, tenancy::Namespaces};
use latchkey_crds::{
    AuthPolicy as Object, AuthPolicySpec,
    auth_policy::{self, MethodType, TargetRef},
    identity,
};
use serde_json::Value;

use super::{GATEWAY_GROUP, fields::Fields, filter, metadata::Metadata};
use crate::{
    object::Manifest,
    policy::{Method, Place, Policy},
};

/// Where a key stands unless a policy says otherwise.
const DEFAULT_HEADER: http::HeaderName = http::HeaderName::from_static("x-api-key");

/// An AuthPolicy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthPolicy {
    /// What counts of its metadata. A terminating policy holds until it is gone.
    pub meta: Metadata,
    /// What it holds for.
    pub targets: BTreeSet<Target>,
    /// Whether it must pass in addition to more specific policies.
    pub overriding: bool,
    /// The policy, or why it cannot be honoured: then its targets are closed.
    pub body: Result<Arc<Policy>, Unhonoured>,
}

/// What a policy can hold for, in its own namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A whole Gateway.
    Gateway(ObjectName),
    /// One listener of a Gateway.
    Listener(ObjectName, String),
    /// An HTTPRoute.
    Route(ObjectName),
}

/// A policy that cannot be honoured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unhonoured {
    /// What is wrong, with the field's path and the remedy.
    pub message: String,
    /// Whether not all of its targets can be read: then it closes its namespace.
    pub everything: bool,
}

impl AuthPolicy {
    /// Reads the AuthPolicy of this name.
    pub fn read(manifest: &Manifest, name: &ObjectName) -> Self {
        let Manifest::Value(object) = manifest else {
            return Self {
                meta: Metadata::default(),
                targets: BTreeSet::new(),
                overriding: false,
                body: Err(Unhonoured {
                    message: "cannot be read; correct it".to_owned(),
                    everything: true,
                }),
            };
        };
        match Self::try_read(object, name) {
            Ok(policy) => policy,
            Err(message) => {
                let (targets, everything) = salvage(object, &name.namespace);
                Self {
                    meta: Metadata::salvage(object),
                    targets,
                    overriding: false,
                    body: Err(Unhonoured { message, everything }),
                }
            }
        }
    }

    fn try_read(object: &Value, name: &ObjectName) -> Result<Self, String> {
        let meta = Metadata::read(object).map_err(|misfit| misfit.to_string())?;
        let spec = decode::decode::<Object>(object)
            .map_err(|error| error.to_string())?
            .spec;
        let mut targets = BTreeSet::new();
        for (index, target) in spec.target_refs.iter().enumerate() {
            let target = Target::of(target, &spec, &name.namespace)
                .map_err(|message| format!("spec.targetRefs[{index}]: {message}"))?;
            targets.insert(target);
        }
        Ok(Self {
            meta,
            targets,
            overriding: spec.overrides,
            body: Ok(Arc::new(compile(&spec, name)?)),
        })
    }
}

impl Target {
    fn of(target: &TargetRef, spec: &AuthPolicySpec, namespace: &str) -> Result<Self, &'static str> {
        let name = ObjectName::new(namespace, target.name.as_str());
        match (target.group.as_str(), target.kind.as_str(), &target.section_name) {
            (GATEWAY_GROUP, "Gateway", None) => Ok(Self::Gateway(name)),
            (GATEWAY_GROUP, "Gateway", Some(section)) => Ok(Self::Listener(name, section.clone())),
            (GATEWAY_GROUP, "HTTPRoute", _) if spec.overrides => {
                Err("an override needs a Gateway; make it a policy of its own")
            }
            (GATEWAY_GROUP, "HTTPRoute", None) => Ok(Self::Route(name)),
            (GATEWAY_GROUP, "HTTPRoute", Some(_)) => {
                Err("a rule cannot be a target; use an ExtensionRef filter in the rule")
            }
            _ => Err("must be a Gateway or HTTPRoute of group gateway.networking.k8s.io"),
        }
    }

    /// The object that must exist for the target to exist.
    pub fn object(&self) -> &ObjectName {
        match self {
            Self::Gateway(name) | Self::Listener(name, _) | Self::Route(name) => name,
        }
    }
}

/// What a policy closes that cannot be honoured: the targets that can be read, and whether there may
/// be others, which can be any.
fn salvage(object: &Value, namespace: &str) -> (BTreeSet<Target>, bool) {
    const KNOWN: &[&str] = &[
        "targetRefs",
        "methods",
        "consumerNamespaces",
        "hideCredentials",
        "override",
    ];
    let mut targets = BTreeSet::new();
    let Some(spec) = object.get("spec").and_then(|spec| Fields::of(spec).ok()) else {
        return (targets, true);
    };
    let listed = match spec.get("targetRefs") {
        None => &[],
        Some(Value::Array(listed)) => listed.as_slice(),
        Some(_) => return (targets, true),
    };
    let mut unread = false;
    for target in listed {
        match salvage_target(target, namespace) {
            Some(target) => {
                targets.insert(target);
            }
            None => unread = true,
        }
    }
    // Without targets, a field of another name may have been meant to hold them.
    unread |= listed.is_empty() && spec.unknown(KNOWN).next().is_some();
    (targets, unread)
}

fn salvage_target(target: &Value, namespace: &str) -> Option<Target> {
    let fields = Fields::of(target).ok()?;
    let name = ObjectName::new(namespace, fields.required_text("name").ok()?);
    match (
        fields.text("group").ok()??,
        fields.text("kind").ok()??,
        fields.text("sectionName"),
    ) {
        (GATEWAY_GROUP, "Gateway", Ok(Some(section))) => Some(Target::Listener(name, section.to_owned())),
        (GATEWAY_GROUP, "Gateway", _) => Some(Target::Gateway(name)),
        (GATEWAY_GROUP, "HTTPRoute", _) => Some(Target::Route(name)),
        _ => None,
    }
}

fn compile(spec: &AuthPolicySpec, name: &ObjectName) -> Result<Policy, String> {
    if spec.methods.is_empty() {
        return Err("spec.methods: must have a method; add `type: APIKey`".to_owned());
    }
    let methods = spec.methods.iter().enumerate().map(|(index, method)| {
        compile_method(method).map_err(|message| format!("spec.methods[{index}]{message}"))
    });
    Ok(Policy {
        name: name.clone(),
        methods: methods.collect::<Result<_, _>>()?,
        admission: Admission {
            own: name.namespace.as_str().into(),
            namespaces: admitted(spec, name),
        },
        hide_credentials: spec.hide_credentials,
    })
}

fn admitted(spec: &AuthPolicySpec, name: &ObjectName) -> Namespaces {
    if spec.consumer_namespaces.iter().any(|n| n == "*") {
        return Namespaces::All;
    }
    let mut listed: Vec<Box<str>> = spec
        .consumer_namespaces
        .iter()
        .map(|namespace| namespace.as_str().into())
        .collect();
    if listed.is_empty() {
        listed.push(name.namespace.as_str().into());
    }
    listed.sort_unstable();
    listed.dedup();
    Namespaces::These(listed.into())
}

fn compile_method(method: &auth_policy::Method) -> Result<Method, String> {
    match (method.type_, &method.api_key) {
        (MethodType::Anonymous, None) => Ok(Method::Anonymous),
        (MethodType::Anonymous, Some(_)) => Err(".apiKey: Anonymous has no settings; remove it".to_owned()),
        (MethodType::APIKey, settings) => {
            let places = settings.as_ref().map_or(&[][..], |s| &s.extract_from);
            if places.is_empty() {
                return Ok(Method::ApiKey(vec![Place::Header(DEFAULT_HEADER)]));
            }
            let places = places.iter().enumerate().map(|(index, place)| {
                compile_place(place).map_err(|message| format!(".apiKey.extractFrom[{index}]{message}"))
            });
            Ok(Method::ApiKey(places.collect::<Result<_, _>>()?))
        }
    }
}

fn compile_place(place: &auth_policy::Place) -> Result<Place, &'static str> {
    match (&place.header, &place.query) {
        (Some(header), None) => match header.name.parse::<http::HeaderName>() {
            Err(_) => Err(".header.name: is no header name; correct it"),
            Ok(name) if identity::is_identity(name.as_str()) => {
                Err(".header.name: this header tells upstreams who calls; use another")
            }
            Ok(name) if filter::is_framing(name.as_str()) => {
                Err(".header.name: this header belongs to the connection; use another")
            }
            Ok(name) => Ok(Place::Header(name)),
        },
        (None, Some(query)) if query.name.is_empty() => {
            Err(".query.name: must not be empty; give the parameter's name")
        }
        (None, Some(query)) => Ok(Place::Query(query.name.clone())),
        _ => Err(": must have exactly one of header and query"),
    }
}

#[cfg(test)]
mod tests;
