//! AuthPolicy: compiled if it can be honoured, else what it closes.

use std::{collections::BTreeSet, sync::Arc};

use latchkey_core::{decode, object::ObjectName, tenancy::Admission, tenancy::Namespaces};
use latchkey_crds::{
    AuthPolicy as Object, AuthPolicySpec,
    auth_policy::{self, MethodType, Preflight},
    validate::is_object_name,
};
use serde_json::Value;

use super::{GATEWAY_GROUP, fields::Fields, metadata::Metadata};
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
    /// Whether it closes its namespace: it has no target, or one that cannot be read.
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
        let spec = decode::decode::<Object>(&without_status(object))
            .map_err(|error| error.to_string())?
            .spec;
        let mut targets = BTreeSet::new();
        for (index, target) in spec.target_refs.iter().enumerate() {
            let object = ObjectName::new(name.namespace.as_str(), target.name.as_str());
            let target = Target::of(
                &target.group,
                &target.kind,
                object,
                target.section_name.as_deref(),
            )
            .ok_or_else(|| format!("spec.targetRefs[{index}]: cannot be a target; correct it"))?;
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
    fn of(group: &str, kind: &str, name: ObjectName, section: Option<&str>) -> Option<Self> {
        match (group, kind, section) {
            (GATEWAY_GROUP, "Gateway", None) => Some(Self::Gateway(name)),
            (GATEWAY_GROUP, "Gateway", Some(section)) => Some(Self::Listener(name, section.to_owned())),
            (GATEWAY_GROUP, "HTTPRoute", _) => Some(Self::Route(name)),
            _ => None,
        }
    }

    /// The object that must exist for the target to exist.
    pub fn object(&self) -> &ObjectName {
        match self {
            Self::Gateway(name) | Self::Listener(name, _) | Self::Route(name) => name,
        }
    }
}

/// The object as its author wrote it: what controllers say of it must never close what it holds for.
fn without_status(object: &Value) -> Value {
    let Value::Object(fields) = object else {
        return object.clone();
    };
    let fields = fields.iter().filter(|(name, _)| *name != "status");
    Value::Object(
        fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

/// What a policy closes that cannot be honoured: the targets that can be read, and whether there may
/// be others, which can be any. Where no target stands, what is broken may be what was meant to hold it.
fn salvage(object: &Value, namespace: &str) -> (BTreeSet<Target>, bool) {
    let listed = object
        .pointer("/spec/targetRefs")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut unread = listed.is_empty();
    let mut targets = BTreeSet::new();
    for target in listed {
        match salvage_target(target, namespace) {
            Some(target) => {
                targets.insert(target);
            }
            None => unread = true,
        }
    }
    (targets, unread)
}

/// A target whose object can be read. Which listener is meant may be unreadable: then it is all of them.
fn salvage_target(target: &Value, namespace: &str) -> Option<Target> {
    let fields = Fields::of(target).ok()?;
    let name = fields.text("name").ok()?.filter(|name| is_object_name(name))?;
    let section = fields.text("sectionName").ok().flatten();
    Target::of(
        fields.text("group").ok()??,
        fields.text("kind").ok()??,
        ObjectName::new(namespace, name),
        section.filter(|section| is_object_name(section)),
    )
}

/// Compiles a spec that keeps the rules of its kind.
fn compile(spec: &AuthPolicySpec, name: &ObjectName) -> Result<Policy, String> {
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
        passes_preflights: spec.preflight == Preflight::Pass,
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
    if method.type_ == MethodType::Anonymous {
        return Ok(Method::Anonymous);
    }
    let places = method.api_key.as_ref().map_or(&[][..], |s| &s.extract_from);
    if places.is_empty() {
        return Ok(Method::ApiKey(vec![Place::Header(DEFAULT_HEADER)]));
    }
    let places = places.iter().enumerate().map(|(index, place)| {
        compile_place(place).ok_or_else(|| {
            format!(".apiKey.extractFrom[{index}]: must name a header or a query parameter; correct it")
        })
    });
    Ok(Method::ApiKey(places.collect::<Result<_, _>>()?))
}

fn compile_place(place: &auth_policy::Place) -> Option<Place> {
    match (&place.header, &place.query) {
        (Some(header), None) => header.name.parse().ok().map(Place::Header),
        (None, Some(query)) => Some(Place::Query(query.name.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
