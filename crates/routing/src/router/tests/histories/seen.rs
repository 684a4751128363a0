//! What a table answers, in the model's words.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use latchkey_core::{
    object::{ObjectName, RouteLabel},
    reason::Reason,
};
use serde_json::Value;

use super::{super::support::Ask, model::Objects};
use crate::{
    object::{Kind, Manifest},
    table::{Action, Backend, Forward, Found, RouteTable},
};

/// What a request gets: see `Model::answer`.
pub(super) fn seen(table: &RouteTable, port: u16, ask: &Ask) -> String {
    let (rule, protection) = match table.find(port, &ask.view()) {
        Found::Nothing => return "404".to_owned(),
        Found::Closed(reason, _) => return refusal(reason),
        Found::Rule(rule, protection) => (rule, protection),
    };
    if let Some(reason) = protection.closed {
        return refusal(reason);
    }
    let places = [
        ("Gateway! ", protection.gateway_override),
        ("listener! ", protection.listener_override),
        ("", protection.specific),
    ];
    let mut text = String::new();
    for (place, policy) in places {
        if let Some(policy) = policy {
            write!(text, "{place}{} > ", policy.name).expect("a string can be written");
        }
    }
    match &rule.action {
        Action::Fail(reason) => text + &refusal(*reason),
        Action::Redirect(_) => text + "redirects",
        Action::Forward(forward) => text + &forwards(&rule.route.name, forward),
    }
}

fn refusal(reason: Reason) -> String {
    match reason.status() {
        503 => format!("503 {}", reason.as_str()),
        status => status.to_string(),
    }
}

fn forwards(route: &ObjectName, forward: &Forward) -> String {
    let mut text = route.to_string();
    for (_, number) in forward.request_headers.iter().flat_map(|modifier| &modifier.set) {
        write!(text, " #{}", number.to_str().expect("a number")).expect("as above");
    }
    text.push_str(" ->");
    for (upto, backend) in &forward.backends.cumulative {
        let to = match backend {
            Backend::Endpoints(cell) => {
                let endpoints: BTreeSet<_> = cell.load().iter().map(ToString::to_string).collect();
                format!("{endpoints:?}")
            }
            Backend::Invalid(_) => "500".to_owned(),
        };
        write!(text, " {upto}:{to}").expect("as above");
    }
    text
}

/// Which object each label of a route was seen to stand for: never for two.
#[derive(Debug, Default)]
pub(super) struct Labels(BTreeMap<u64, (ObjectName, Value)>);

impl Labels {
    /// Whether the label of what a request finds stands for the route that now has its name, and never stood
    /// for another.
    pub(super) fn are_right(&mut self, objects: &Objects, table: &RouteTable, port: u16, ask: &Ask) -> bool {
        let label: &RouteLabel = match table.find(port, &ask.view()) {
            Found::Nothing | Found::Closed(_, None) => return true,
            Found::Closed(_, Some(label)) => label,
            Found::Rule(rule, _) => &rule.route,
        };
        let Some(Manifest::Value(route)) = objects.get(&(Kind::HttpRoute, label.name.clone())) else {
            return false;
        };
        let now = (label.name.clone(), route["metadata"]["uid"].clone());
        let known = self.0.entry(label.id).or_insert_with(|| now.clone());
        *known == now
    }
}
