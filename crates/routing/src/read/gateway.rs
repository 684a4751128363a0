//! Gateway: its class, and its listeners as far as HTTP goes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    GATEWAY_GROUP,
    fields::{Fields, Misfit},
    metadata::Metadata,
    problem::{self, Problem, Reason},
    selector::LabelSelector,
};
use crate::{hostname::Hostname, object::Manifest};

/// The one protocol that is served.
pub const HTTP: &str = "HTTP";

/// A Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// What counts of its metadata.
    pub meta: Metadata,
    /// `spec.gatewayClassName`; none if that cannot be read: then it may be ours.
    pub class: Option<String>,
    /// Its listeners, or what is left.
    pub body: Result<Vec<Listener>, Broken>,
    /// What it asks for besides listeners, in vain, by path from the object.
    pub unmet: Vec<Problem>,
}

/// What is left of a Gateway that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Where reading stopped.
    pub misfit: Misfit,
    /// The ports of its HTTP listeners that can be read.
    pub ports: BTreeSet<u16>,
}

/// One listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Its name, unique within the Gateway.
    pub name: String,
    /// The port that requests come to.
    pub port: u16,
    /// `HTTP`, or a protocol that is not served.
    pub protocol: String,
    /// The hosts that it answers to.
    pub hostname: Hostname,
    /// The namespaces whose routes it admits.
    pub admits: Admits,
    /// Whether HTTPRoutes are among the kinds that it names, or it names none.
    pub http_routes: bool,
    /// What is wrong in it, by path from the listener.
    pub problems: Vec<Problem>,
}

/// Whose HTTPRoutes a listener admits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admits {
    /// Those of the Gateway's namespace.
    Same,
    /// All.
    All,
    /// Those of namespaces with such labels.
    Selected(LabelSelector),
    /// None: HTTPRoutes are not among its kinds, or what it admits cannot be read.
    Nobody,
}

impl Gateway {
    /// Reads a Gateway.
    pub fn read(manifest: &Manifest) -> Self {
        let Manifest::Value(object) = manifest else {
            return Self {
                meta: Metadata::default(),
                class: None,
                body: Err(Broken {
                    misfit: Misfit::new("an object that can be read"),
                    ports: BTreeSet::new(),
                }),
                unmet: Vec::new(),
            };
        };
        let class = object.pointer("/spec/gatewayClassName").and_then(Value::as_str);
        let read = Metadata::read(object).and_then(|meta| Ok((meta, listeners(object)?)));
        let (meta, body) = match read {
            Ok((meta, listeners)) => (meta, Ok(listeners)),
            Err(misfit) => {
                let ports = salvage_ports(object);
                (Metadata::salvage(object), Err(Broken { misfit, ports }))
            }
        };
        Self {
            meta,
            class: class.map(str::to_owned),
            body,
            unmet: unmet(object),
        }
    }

    /// What is wrong in it, by path from the object.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.unmet.clone();
        match &self.body {
            Ok(listeners) => {
                for (index, listener) in listeners.iter().enumerate() {
                    problems.extend(listener.problems_at(index));
                }
            }
            Err(broken) => problems.push(broken.problem()),
        }
        problems
    }
}

impl Broken {
    /// What is wrong with the Gateway.
    pub(crate) fn problem(&self) -> Problem {
        let message = format!(
            "{}; until then its HTTP ports that can be read answer 503, others are closed",
            self.misfit
        );
        Problem::new(Reason::Invalid, message)
    }
}

/// What a Gateway asks for of its infrastructure. It is served without.
fn unmet(object: &Value) -> Vec<Problem> {
    let mut unmet = Vec::new();
    if object
        .pointer("/spec/infrastructure/parametersRef")
        .is_some_and(|reference| !reference.is_null())
    {
        let message = "is not supported; remove it";
        let problem = Problem::new(Reason::InvalidParameters, message);
        unmet.push(problem.under("spec.infrastructure.parametersRef"));
    }
    let addresses = object.pointer("/spec/addresses").and_then(Value::as_array);
    if addresses.is_some_and(|addresses| !addresses.is_empty()) {
        let message =
            "the gateway's pods have no other addresses; remove it, and name addresses in their Service";
        unmet.push(Problem::new(Reason::AddressNotUsable, message).under("spec.addresses"));
    }
    unmet
}

/// The listeners of a Gateway that says of which class it is.
fn listeners(object: &Value) -> Result<Vec<Listener>, Misfit> {
    let Some(spec) = Fields::of(object)?.object("spec")? else {
        return Err(Misfit::new("given").under("spec"));
    };
    let mut names = BTreeSet::new();
    let read = spec.required_text("gatewayClassName").and_then(|_| {
        spec.list("listeners", |value| {
            let listener = Listener::read(value)?;
            if names.insert(listener.name.clone()) {
                Ok(listener)
            } else {
                Err(Misfit::new("unlike the names of other listeners").under("name"))
            }
        })
    });
    read.map_err(|misfit| misfit.under("spec"))
}

/// The ports of a broken Gateway's listeners, but of those that say another protocol than HTTP.
fn salvage_ports(object: &Value) -> BTreeSet<u16> {
    let listeners = object.pointer("/spec/listeners").and_then(Value::as_array);
    listeners
        .into_iter()
        .flatten()
        .filter_map(|listener| Fields::of(listener).ok())
        .filter(|listener| {
            let protocol = listener.text("protocol").unwrap_or_default();
            protocol.is_none_or(|protocol| protocol == HTTP)
        })
        .filter_map(|listener| listener.port("port").ok().flatten())
        .collect()
}

impl Listener {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let fields = Fields::of(value)?;
        let port = fields
            .port("port")?
            .ok_or_else(|| Misfit::new("given").under("port"))?;
        let protocol = fields.required_text("protocol")?;
        let hostname = Hostname::parse(fields.text_or("hostname", "")?)
            .map_err(|error| Misfit::new(error.to_string()).under("hostname"))?;
        let mut problems = Vec::new();
        if protocol != HTTP {
            problems.push(
                Problem::new(
                    Reason::UnsupportedProtocol,
                    "this version serves HTTP listeners only; use HTTP",
                )
                .under("protocol"),
            );
        }
        let (admits, http_routes) = match fields.object("allowedRoutes")? {
            None => (Admits::Same, true),
            Some(allowed) => {
                let mut found = Vec::new();
                let admitted = admits(allowed, &mut found).map_err(|misfit| misfit.under("allowedRoutes"))?;
                problems.extend(found.into_iter().map(|p| p.under("allowedRoutes")));
                admitted
            }
        };
        Ok(Self {
            name: fields.required_text("name")?.to_owned(),
            port,
            protocol: protocol.to_owned(),
            hostname,
            admits,
            http_routes,
            problems,
        })
    }

    /// What is wrong in it, by path from a Gateway that has it at `index`.
    pub(crate) fn problems_at(&self, index: usize) -> impl Iterator<Item = Problem> {
        problem::at(self.problems.clone(), "spec.listeners", index)
    }
}

/// Whose HTTPRoutes a listener admits, and whether HTTPRoutes are among its kinds.
fn admits(allowed: Fields<'_>, problems: &mut Vec<Problem>) -> Result<(Admits, bool), Misfit> {
    let mut closed = false;
    for field in allowed.unknown(&["namespaces", "kinds"]) {
        problems.push(Problem::unknown_field(field));
        closed = true;
    }
    let http_routes = admits_http_routes(allowed, problems)?;
    closed |= !http_routes;
    let admits = match allowed.object("namespaces")? {
        None => Admits::Same,
        Some(namespaces) => {
            let mut found = Vec::new();
            let admits =
                admitted_namespaces(namespaces, &mut found).map_err(|misfit| misfit.under("namespaces"))?;
            problems.extend(found.into_iter().map(|p| p.under("namespaces")));
            admits
        }
    };
    Ok((if closed { Admits::Nobody } else { admits }, http_routes))
}

fn admits_http_routes(allowed: Fields<'_>, problems: &mut Vec<Problem>) -> Result<bool, Misfit> {
    let kinds = allowed.list("kinds", |value| {
        let kind = Fields::of(value)?;
        Ok(kind.text_or("group", GATEWAY_GROUP)? == GATEWAY_GROUP
            && kind.required_text("kind")? == "HTTPRoute")
    })?;
    let foreign = kinds
        .iter()
        .enumerate()
        .filter(|(_, ours)| !**ours)
        .map(|(index, _)| {
            let message = "this version attaches HTTPRoute only; remove other kinds";
            Problem::new(Reason::InvalidRouteKinds, message).under(&format!("kinds[{index}]"))
        });
    problems.extend(foreign);
    Ok(kinds.is_empty() || kinds.contains(&true))
}

fn admitted_namespaces(namespaces: Fields<'_>, problems: &mut Vec<Problem>) -> Result<Admits, Misfit> {
    if let Some(field) = namespaces.unknown(&["from", "selector"]).next() {
        problems.push(Problem::unknown_field(field));
        return Ok(Admits::Nobody);
    }
    match namespaces.text_or("from", "Same")? {
        "Same" => Ok(Admits::Same),
        "All" => Ok(Admits::All),
        "Selector" => match namespaces.get("selector").map(LabelSelector::read) {
            Some(Ok(selector)) => Ok(Admits::Selected(selector)),
            Some(Err(misfit)) => {
                let misfit = misfit.under("selector");
                problems.push(Problem::unsupported(format!(
                    "{misfit}; until then no route attaches"
                )));
                Ok(Admits::Nobody)
            }
            None => {
                let message = "`from: Selector` needs a selector; until then no route attaches";
                problems.push(Problem::unsupported(message).under("selector"));
                Ok(Admits::Nobody)
            }
        },
        _ => {
            let message = "use Same, All or Selector; until then no route attaches";
            problems.push(Problem::unsupported(message).under("from"));
            Ok(Admits::Nobody)
        }
    }
}

#[cfg(test)]
mod tests;
