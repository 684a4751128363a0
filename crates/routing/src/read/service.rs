//! Service: its ports and their names.

use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::{Problem, Reason},
};
use crate::object::Manifest;

/// A Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its ports, or why they cannot be read: then it has no endpoints.
    pub ports: Result<Vec<ServicePort>, Problem>,
    /// Whether it is a mere DNS name (`type: ExternalName`).
    pub external_name: bool,
}

/// One TCP port of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePort {
    /// Its number.
    pub port: u16,
    /// Its name, by which EndpointSlices know it; may be empty.
    pub name: String,
    /// Whether the application expects another protocol than HTTP/1.1 in clear text.
    pub foreign_protocol: bool,
}

/// Values of `appProtocol` that plain HTTP/1.1 cannot serve.
const FOREIGN_PROTOCOLS: [&str; 4] = ["kubernetes.io/h2c", "kubernetes.io/wss", "https", "grpc"];

impl Service {
    /// Reads a Service.
    pub fn read(manifest: &Manifest) -> Self {
        let read = match manifest {
            Manifest::Value(object) => Self::try_read(object),
            Manifest::Unreadable => Err(Misfit::new("an object that can be read")),
        };
        read.unwrap_or_else(|misfit| Self {
            ports: Err(Problem::new(
                Reason::Invalid,
                format!("{misfit}; until then it has no endpoints"),
            )),
            external_name: false,
        })
    }

    fn try_read(object: &Value) -> Result<Self, Misfit> {
        let Some(spec) = Fields::of(object)?.object("spec")? else {
            return Err(Misfit::new("given").under("spec"));
        };
        Self::of(spec).map_err(|misfit| misfit.under("spec"))
    }

    fn of(spec: Fields<'_>) -> Result<Self, Misfit> {
        let ports = spec.list("ports", |value| {
            let fields = Fields::of(value)?;
            let port = ServicePort {
                port: fields
                    .port("port")?
                    .ok_or_else(|| Misfit::new("given").under("port"))?,
                name: fields.text_or("name", "")?.to_owned(),
                foreign_protocol: FOREIGN_PROTOCOLS.contains(&fields.text_or("appProtocol", "")?),
            };
            Ok((fields.text_or("protocol", "TCP")? == "TCP").then_some(port))
        })?;
        Ok(Self {
            ports: Ok(ports.into_iter().flatten().collect()),
            external_name: spec.text_or("type", "ClusterIP")? == "ExternalName",
        })
    }

    /// The port of this number.
    pub fn port(&self, number: u16) -> Option<&ServicePort> {
        self.ports.as_ref().ok()?.iter().find(|port| port.port == number)
    }
}
