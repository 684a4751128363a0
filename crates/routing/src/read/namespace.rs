//! Namespace: its labels.

use super::{
    fields::Fields,
    selector::{Labels, labels},
};
use crate::object::Manifest;

/// The label that every namespace has, also one that nobody described.
pub const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The labels of the namespace `name`, with or without an object that describes it. Labels that
/// cannot be read are none.
pub fn read(name: &str, manifest: Option<&Manifest>) -> Labels {
    let mut read = match manifest {
        Some(Manifest::Value(object)) => Fields::of(object)
            .and_then(|fields| fields.object("metadata"))
            .and_then(|metadata| metadata.map_or(Ok(None), |m| m.read("labels", labels)))
            .unwrap_or_default()
            .unwrap_or_default(),
        _ => Labels::default(),
    };
    read.insert(NAME_LABEL.to_owned(), name.to_owned());
    read
}
