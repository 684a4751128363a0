//! Which rule a request belongs to, and what that does.

use std::{cmp::Reverse, collections::BTreeSet, fmt::Write};

use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::{super::super::support::Ask, Kind, Listener, Model, created, list, matches, specificity, text};

/// A listener, and whose it is.
pub(super) type Place<'o, 'l> = (&'o ObjectName, &'l Listener<'o>);

const EVERYTHING: &Value = &Value::Null;

impl<'o> Model<'o> {
    /// What a request gets on the listener that it came to.
    pub(super) fn on_listener(self, place: Place<'o, '_>, ask: &Ask) -> String {
        let routes: Vec<_> = self.all(Kind::HttpRoute).collect();
        let mut offered = BTreeSet::new();
        for (name, route) in &routes {
            let hostnames = route.map(|route| self.hostnames(name, route, place));
            let hostnames = hostnames.into_iter().flatten();
            offered.extend(hostnames.filter(|h| matches(h, &ask.host)).map(|hostname| {
                let key = Reverse(specificity(hostname));
                (key, hostname)
            }));
        }
        for (_, hostname) in offered {
            let here = || {
                let routes = routes.iter().filter_map(|(name, route)| Some((*name, (*route)?)));
                routes.filter(|(name, route)| self.hostnames(name, route, place).contains(&hostname))
            };
            let broken = |named: bool| {
                here().any(|(_, route)| !is_readable(route) && hosts(route).is_empty() != named)
            };
            if broken(true) {
                return "500".to_owned();
            }
            let found = here()
                .filter(|(_, route)| is_readable(route))
                .filter_map(|(name, route)| best(name, route, ask))
                .max_by(|(a, ..), (b, ..)| a.cmp(b));
            if let Some((_, name, rule)) = found {
                return self.on_rule(place, name, rule);
            }
            if broken(false) {
                return "500".to_owned();
            }
        }
        "404".to_owned()
    }

    /// The hostnames of a route on a listener; none where it is not attached.
    fn hostnames(self, name: &ObjectName, route: &'o Value, place: Place<'o, '_>) -> Vec<&'o str> {
        let (gateway, listener) = place;
        let means = |parent: &&Value| {
            let (namespace, section, port) = (&parent["namespace"], &parent["sectionName"], &parent["port"]);
            let namespace = namespace.as_str().unwrap_or(&name.namespace);
            parent["selector"].is_null()
                && (namespace, text(&parent["name"])) == (&*gateway.namespace, &*gateway.name)
                && (section.is_null() || *section == listener.name)
                && (port.is_null() || *port == listener.port)
        };
        let parents = list(&route["spec"]["parentRefs"]);
        let unsure = !is_readable(route)
            && parents
                .iter()
                .any(|parent| !parent["name"].is_string() || !parent["selector"].is_null());
        let hosts = hosts(route);
        let asks = if unsure {
            !hosts.is_empty()
        } else {
            parents.iter().any(|p| means(&p))
        };
        if !asks || !self.admits(gateway, listener.written, &name.namespace) {
            return Vec::new();
        }
        if hosts.is_empty() {
            return vec![listener.hostname];
        }
        // Of two that overlap, the narrow one is what both mean.
        let common =
            |host: &'o str| match (matches(listener.hostname, host), matches(host, listener.hostname)) {
                (true, _) => Some(host),
                (false, true) => Some(listener.hostname),
                (false, false) => None,
            };
        hosts.into_iter().filter_map(common).collect()
    }

    /// Whether a listener admits routes of a namespace.
    fn admits(self, gateway: &ObjectName, listener: &Value, namespace: &str) -> bool {
        let allowed = &listener["allowedRoutes"];
        let kinds = list(&allowed["kinds"]);
        let http_routes = kinds.is_empty() || kinds.iter().any(|kind| kind["kind"] == "HTTPRoute");
        let from = &allowed["namespaces"];
        http_routes
            && match from["from"].as_str().unwrap_or("Same") {
                "Same" => gateway.namespace == namespace,
                "All" => true,
                "Selector" => from["selector"].is_object() && self.selects(&from["selector"], namespace),
                _ => false,
            }
    }

    fn selects(self, selector: &Value, namespace: &str) -> bool {
        let object = self.get(Kind::Namespace, &ObjectName::new("", namespace));
        let labels = object
            .flatten()
            .map_or(&Value::Null, |object| &object["metadata"]["labels"]);
        let label = |key: &str| match key {
            "kubernetes.io/metadata.name" => Some(namespace),
            _ => labels[key].as_str(),
        };
        let equal = selector["matchLabels"].as_object().into_iter().flatten();
        let mut equal = equal.map(|(key, value)| label(key) == value.as_str());
        let mut tests = list(&selector["matchExpressions"]).iter().map(|test| {
            let held = label(text(&test["key"]));
            let listed = held.is_some_and(|held| list(&test["values"]).iter().any(|value| value == held));
            match text(&test["operator"]) {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => held.is_some(),
                _ => held.is_none(),
            }
        });
        equal.all(|holds| holds) && tests.all(|holds| holds)
    }

    /// What a rule does with a request that passed: a number that tells it from others, and its backends.
    pub(super) fn forwards(self, route: &ObjectName, rule: &Value) -> Option<String> {
        let filters = || list(&rule["filters"]).iter();
        let known =
            |filter: &Value| ["RequestHeaderModifier", "ExtensionRef"].contains(&text(&filter["type"]));
        if !rule["retry"].is_null() || !filters().all(known) {
            return None;
        }
        let mut does = format!("{route}");
        for filter in filters().filter(|filter| !filter["requestHeaderModifier"].is_null()) {
            let number = &filter["requestHeaderModifier"]["set"][0]["value"];
            write!(does, " #{}", text(number)).expect("a string can be written");
        }
        does.push_str(" ->");
        let mut upto = 0;
        for backend in list(&rule["backendRefs"]) {
            let weight = backend["weight"].as_u64().unwrap_or(1);
            upto += weight;
            if weight > 0 {
                let to = self.backend(&route.namespace, backend);
                let to = to.map_or("500".to_owned(), |to| format!("{to:?}"));
                write!(does, " {upto}:{to}").expect("as above");
            }
        }
        (upto > 0).then_some(does)
    }

    /// The endpoints of a backend; none where it leads nowhere.
    fn backend(self, from: &str, backend: &Value) -> Option<BTreeSet<String>> {
        let service = ObjectName::new(
            backend["namespace"].as_str().unwrap_or(from),
            text(&backend["name"]),
        );
        let permitted = service.namespace == from || self.granted(from, &service);
        if !permitted || backend["kind"].as_str().is_some_and(|kind| kind != "Service") {
            return None;
        }
        let object = self.get(Kind::Service, &service)?;
        let number = &backend["port"];
        number.as_u64()?;
        let written = object.map_or(&[][..], |object| list(&object["spec"]["ports"]));
        let readable = object.is_some() && written.iter().all(|port| port["port"].is_u64());
        if !readable {
            return Some(BTreeSet::new());
        }
        let port = written.iter().find(|port| port["port"] == *number)?;
        let mut endpoints = BTreeSet::new();
        for (name, slice) in self.all(Kind::EndpointSlice) {
            let Some(slice) = slice.filter(|_| name.namespace == service.namespace) else {
                continue;
            };
            let addresses: Vec<_> = list(&slice["endpoints"])
                .iter()
                .flat_map(|endpoint| list(&endpoint["addresses"]))
                .map(text)
                .collect();
            if slice["metadata"]["labels"]["kubernetes.io/service-name"] == *service.name
                && !addresses.contains(&"x")
            {
                let ports = list(&slice["ports"]).iter().filter(|p| p["name"] == port["name"]);
                endpoints
                    .extend(ports.flat_map(|p| addresses.iter().map(move |a| format!("{a}:{}", p["port"]))));
            }
        }
        Some(endpoints)
    }

    fn granted(self, from: &str, service: &ObjectName) -> bool {
        let mut grants = self.all(Kind::ReferenceGrant).filter_map(|(name, grant)| {
            let grant = grant.filter(|grant| grant["metadata"]["deletionTimestamp"].is_null());
            grant.filter(|_| name.namespace == service.namespace)
        });
        grants.any(|grant| {
            list(&grant["spec"]["from"])
                .iter()
                .any(|f| f["kind"] == "HTTPRoute" && f["namespace"] == from)
                && list(&grant["spec"]["to"])
                    .iter()
                    .any(|to| to["name"].is_null() || to["name"] == *service.name)
        })
    }

    /// Whether a route that cannot be read closes a namespace: not all of its hostnames are known.
    pub(super) fn routes_close(self, namespace: &str) -> bool {
        self.all(Kind::HttpRoute).any(|(name, route)| {
            let known = |route: &Value| {
                let written = list(&route["spec"]["hostnames"]);
                !written.is_empty() && hosts(route).len() == written.len()
            };
            name.namespace == namespace && route.is_none_or(|route| !is_readable(route) && !known(route))
        })
    }
}

/// Whether nothing breaks a route.
fn is_readable(route: &Value) -> bool {
    let spec = &route["spec"];
    spec["rules"].is_array()
        && list(&spec["parentRefs"])
            .iter()
            .all(|parent| parent["name"].is_string())
        && list(&spec["hostnames"]).iter().all(Value::is_string)
}

/// Those of a route's hostnames that can be read.
fn hosts(route: &Value) -> Vec<&str> {
    list(&route["spec"]["hostnames"])
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

type Best<'o> = (BestKey<'o>, &'o ObjectName, &'o Value);

/// Greater is more specific: an exact path, a long prefix, a method, many headers, the older route, the
/// smaller name, the earlier rule.
type BestKey<'o> = (
    (bool, usize),
    bool,
    usize,
    Reverse<(&'o str, &'o ObjectName, usize)>,
);

/// The most specific rule of a route that matches.
fn best<'o>(name: &'o ObjectName, route: &'o Value, ask: &Ask) -> Option<Best<'o>> {
    let rules = list(&route["spec"]["rules"]).iter().enumerate();
    let matching = rules.flat_map(|(index, rule)| {
        let written = list(&rule["matches"]);
        let elements = if written.is_empty() {
            std::slice::from_ref(EVERYTHING)
        } else {
            written
        };
        let elements = elements.iter().filter(|element| is_meant(element, ask));
        elements.map(move |element| {
            let path = (
                element["path"]["type"] == "Exact",
                element["path"]["value"].as_str().unwrap_or("/").len(),
            );
            let (method, headers) = (!element["method"].is_null(), list(&element["headers"]).len());
            let origin = Reverse((created(Some(route)), name, index));
            ((path, method, headers, origin), name, rule)
        })
    });
    matching.max_by(|(a, ..), (b, ..)| a.cmp(b))
}

fn is_meant(element: &Value, ask: &Ask) -> bool {
    let path = element["path"]["value"].as_str().unwrap_or("/");
    let path = if element["path"]["type"] == "Exact" {
        ask.path == path
    } else {
        let slashed = |path: &str| format!("{}/", path.trim_end_matches('/'));
        slashed(&ask.path).starts_with(&slashed(path))
    };
    path && element["method"]
        .as_str()
        .is_none_or(|method| ask.method == *method)
        && list(&element["headers"]).iter().all(|header| {
            let held = ask.headers.get(text(&header["name"]));
            held.is_some_and(|held| *held == *text(&header["value"]))
        })
}
