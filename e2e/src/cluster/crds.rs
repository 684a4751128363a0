//! CRDs into an API server: ours from `crds/manifests`, Gateway API's from the pinned module.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{
    api::Api,
    programs::{Programs, repository},
    resource::path_of,
};
use crate::{manifest::Manifest, wait::pause};

/// How long CRDs may take to be served.
const ESTABLISHED: Duration = Duration::from_secs(30);

/// Applies all CRDs and waits until they are served.
///
/// # Errors
/// They cannot be read, or the API server refuses one.
pub(crate) fn install(api: &Api) -> anyhow::Result<()> {
    let mut manifests = Vec::new();
    for folder in [
        &repository().join("crds/manifests"),
        &Programs::find()?.gateway_api_crds,
    ] {
        manifests.extend(read_folder(folder)?);
    }
    // At once: the API server compiles each one's rules.
    thread::scope(|scope| {
        let all: Vec<_> = manifests
            .iter()
            .map(|manifest| scope.spawn(|| apply(api, manifest)))
            .collect();
        all.into_iter()
            .try_for_each(|one| one.join().unwrap_or_else(|_| anyhow::bail!("no answer")))
    })
}

/// The objects of a folder's files.
pub(crate) fn read_folder(folder: &Path) -> anyhow::Result<Vec<Manifest>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut manifests = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        manifests.extend(read(&text).with_context(|| format!("in {}", file.display()))?);
    }
    Ok(manifests)
}

/// The objects of a text of YAML documents.
pub(crate) fn read(text: &str) -> anyhow::Result<Vec<Manifest>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text)?;
    Ok(documents
        .into_iter()
        .filter(|document| !document.is_null())
        .map(Manifest::from)
        .collect())
}

fn apply(api: &Api, manifest: &Manifest) -> anyhow::Result<()> {
    let answer = api.apply(manifest);
    ensure!(
        answer.status < 300,
        "{} {}: {}",
        manifest.kind(),
        manifest.name(),
        answer.text()
    );
    if manifest.kind() != "CustomResourceDefinition" {
        return Ok(());
    }
    let start = Instant::now();
    loop {
        let now = api.get(&path_of(manifest)).json();
        let conditions = now["status"]["conditions"].as_array();
        let is_served = conditions.is_some_and(|all| {
            all.iter()
                .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        });
        if is_served {
            return Ok(());
        }
        ensure!(
            start.elapsed() < ESTABLISHED,
            "{} is not served: {}",
            manifest.name(),
            now["status"]
        );
        pause(Duration::from_millis(20));
    }
}
