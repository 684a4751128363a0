//! What tests do to the CRDs of a cluster of their own: delete them, put them back, and let them take
//! objects that no present version of them would.

use serde_json::{Value, json};

use super::{Cluster, crds, programs::Programs, programs::repository, resource::collection};
use crate::{manifest::Manifest, wait::eventually};

impl Cluster {
    /// Deletes a CRD (`credentials.latchkey.dev`), and with it all objects of its kind; returns when
    /// the API server does not know the kind any more.
    pub fn delete_crd(&self, name: &str) {
        let crd = Manifest::new("apiextensions.k8s.io/v1", "CustomResourceDefinition", name);
        let kind = Served::of(&self.api().read(&crd).expect("the CRD is there"));
        self.api().delete(&crd).must();
        eventually(&format!("{name} is gone"), || match self.api().read(&crd) {
            None => Ok(()),
            Some(crd) => Err(crd["status"].to_string()),
        });
        // It is served for a moment longer.
        let path = collection(&kind.api_version, &kind.kind, None);
        eventually(&format!("{name} is not served any more"), || {
            let answer = self.api().get(&path);
            (answer.status == 404).then_some(()).ok_or_else(|| answer.text())
        });
    }

    /// Puts back whatever CRD is not there, or not as it should be; returns when all are served.
    pub fn install_crds(&self) {
        crds::install(self.api()).expect("CRDs that were there before");
    }

    /// From now on the API server takes any content of objects that have CRDs, as if they had been stored
    /// under the schema of another version.
    pub fn relax_crds(&self) {
        for crd in all_crds() {
            let relaxed = relaxed(&crd);
            self.api().apply(&relaxed).must();
            self.until_taken(&relaxed);
        }
    }

    /// Waits until the API server takes an object whose spec is a text.
    fn until_taken(&self, crd: &Manifest) {
        let Served { api_version, kind } = Served::of(crd.json());
        let object = Manifest::new(&api_version, &kind, "anything").set("spec", "a text");
        let path = format!("{}?dryRun=All", collection(&api_version, &kind, None));
        eventually(&format!("{} takes anything", crd.name()), || {
            let answer = self
                .api()
                .request("POST", &path, Some(("application/json", object.json())));
            (answer.status == 201).then_some(()).ok_or_else(|| answer.text())
        });
    }
}

/// What a CRD is for, in the version that is stored.
struct Served {
    api_version: String,
    kind: String,
}

impl Served {
    fn of(crd: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let stored = versions
            .filter(|version| version["storage"] == true)
            .map(|version| text(&version["name"]));
        Self {
            api_version: format!("{}/{}", text(&crd["spec"]["group"]), stored.collect::<String>()),
            kind: text(&crd["spec"]["names"]["kind"]),
        }
    }
}

fn all_crds() -> Vec<Manifest> {
    let programs = Programs::find().expect("the control plane runs");
    let folders = [
        repository().join("crds/manifests"),
        programs.gateway_api_crds.clone(),
    ];
    let manifests = folders
        .iter()
        .flat_map(|folder| crds::read_folder(folder).expect("it was read before"));
    manifests
        .filter(|manifest| manifest.kind() == "CustomResourceDefinition")
        .collect()
}

/// A CRD whose versions know nothing of their objects' content. What refers to it goes, too.
fn relaxed(crd: &Manifest) -> Manifest {
    let mut crd = crd.json().clone();
    for version in crd["spec"]["versions"].as_array_mut().into_iter().flatten() {
        let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        version["schema"]["openAPIV3Schema"] = anything;
        if let Some(version) = version.as_object_mut() {
            version.remove("selectableFields");
            version.remove("additionalPrinterColumns");
        }
    }
    Manifest::from(crd)
}
