//! EndpointSlice: the ready addresses of a Service, by port name.

use std::{
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
};

use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::{Problem, Reason},
};
use crate::object::Manifest;

/// The label that names a slice's Service.
const SERVICE_LABEL: &str = "kubernetes.io/service-name";

/// A slice of a Service's endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointSlice {
    /// The Service, in the slice's namespace; none if nothing names one.
    pub service: Option<String>,
    /// Its TCP ports: name and number.
    ports: Vec<(String, u16)>,
    /// Its ready addresses.
    addresses: Vec<IpAddr>,
    /// Why it has no endpoints, if it cannot be read.
    pub problem: Option<Problem>,
}

impl EndpointSlice {
    /// Reads a slice.
    pub fn read(manifest: &Manifest) -> Self {
        let read = match manifest {
            Manifest::Value(object) => Self::try_read(object),
            Manifest::Unreadable => Err(Misfit::new("an object that can be read")),
        };
        read.unwrap_or_else(|misfit| Self {
            problem: Some(Problem::new(
                Reason::Invalid,
                format!("{misfit}; until then it has no endpoints"),
            )),
            ..Self::default()
        })
    }

    fn try_read(object: &Value) -> Result<Self, Misfit> {
        let fields = Fields::of(object)?;
        let service = match fields.object("metadata")? {
            Some(metadata) => metadata
                .object("labels")
                .and_then(|labels| labels.map_or(Ok(None), |labels| labels.text(SERVICE_LABEL)))
                .map_err(|misfit| misfit.under("metadata"))?,
            None => None,
        };
        let ports = fields.list("ports", |value| {
            let port = Fields::of(value)?;
            let named = port
                .port("port")?
                .map(|number| Ok((port.text_or("name", "")?.to_owned(), number)))
                .transpose()?;
            Ok(named.filter(|_| port.text("protocol").is_ok_and(|p| p.is_none_or(|p| p == "TCP"))))
        })?;
        // A slice of domain names has nothing to dial without a resolver.
        let names_only = fields.text_or("addressType", "IPv4")? == "FQDN";
        let addresses = if names_only {
            Vec::new()
        } else {
            fields.list("endpoints", ready_addresses)?.concat()
        };
        Ok(Self {
            service: service.map(str::to_owned),
            ports: ports.into_iter().flatten().collect(),
            addresses,
            problem: None,
        })
    }

    /// Adds what it has for the Service's port of this name.
    pub fn collect(&self, port_name: &str, into: &mut BTreeSet<SocketAddr>) {
        for (_, port) in self.ports.iter().filter(|(name, _)| name == port_name) {
            into.extend(
                self.addresses
                    .iter()
                    .map(|address| SocketAddr::new(*address, *port)),
            );
        }
    }
}

/// The addresses of one endpoint, if it is ready: unknown counts as ready.
fn ready_addresses(value: &Value) -> Result<Vec<IpAddr>, Misfit> {
    let endpoint = Fields::of(value)?;
    let ready = match endpoint.object("conditions")? {
        Some(conditions) => conditions
            .boolean("ready")
            .map_err(|misfit| misfit.under("conditions"))?,
        None => None,
    };
    let addresses = endpoint.list("addresses", |value| {
        value
            .as_str()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Misfit::new("an IP address"))
    })?;
    Ok(if ready.unwrap_or(true) {
        addresses
    } else {
        Vec::new()
    })
}

#[cfg(test)]
mod tests;
