//! Which provider a model's name means, and where it answers.

use genai::adapter::AdapterKind;
use url::Url;

/// Why a model cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidModel {
    /// It tells no provider.
    #[error(
        "{0:?} names no provider: write provider::model, such as openai::gpt-4.1-mini, anthropic::claude-haiku-4-5 or ollama::qwen3:8b"
    )]
    Name(String),
    /// The address is none.
    #[error("the base URL of the extractor is no http or https address")]
    BaseUrl,
    /// The client cannot be built: no certificates, a broken proxy setting.
    #[error("the HTTP client for the model cannot be built")]
    Client,
}

/// A model, its provider and its address.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// As `genai` takes it, always with its provider.
    pub(super) name: String,
    pub(super) kind: AdapterKind,
    /// Ends with `/`: what follows the last one is lost when a path is joined.
    pub(super) base_url: Option<String>,
}

impl Target {
    /// With a base URL a name without a prefix is a model of an OpenAI-compatible server. What `genai` does not know it takes to a local
    /// Ollama, whatever the base URL says, so that one has to be named.
    pub(super) fn parse(model: &str, base_url: Option<&str>) -> Result<Self, InvalidModel> {
        let invalid = || InvalidModel::Name(model.to_owned());
        let model = model.trim();
        let base_url = base_url.map(address).transpose()?;
        let name = match model.split_once("::") {
            Some((prefix, rest)) if !prefix.is_empty() && !rest.is_empty() => model.to_owned(),
            Some(_) => return Err(invalid()),
            None if model.is_empty() || model == "builtin" => return Err(invalid()),
            None if base_url.is_some() => format!("openai::{model}"),
            None => model.to_owned(),
        };
        let kind = AdapterKind::from_model(&name).map_err(|_| invalid())?;
        let prefix = name.split_once("::").map(|(prefix, _)| prefix);
        if kind == AdapterKind::Ollama && prefix != Some("ollama") {
            return Err(invalid());
        }
        Ok(Self {
            name,
            kind,
            base_url,
        })
    }

    /// The provider's word: `openai`, `anthropic`, `ollama`.
    pub(super) fn provider(&self) -> &'static str {
        match self.kind {
            // Another way to the same models.
            AdapterKind::OpenAIResp => "openai",
            kind => kind.as_lower_str(),
        }
    }

    /// The variable in which `genai` looks for the provider's key; `None`: it answers without one.
    pub(super) fn key_variable(&self) -> Option<&'static str> {
        match self.kind {
            // One that runs beside Keepsake, where a key is a choice.
            AdapterKind::Omlx => None,
            kind => kind.default_key_env_name(),
        }
    }

    /// The model's own name.
    pub(super) fn model(&self) -> &str {
        self.name
            .split_once("::")
            .map_or(self.name.as_str(), |(_, name)| name)
    }
}

/// A provider's word, or a base URL, in the one spelling that is compared; `None` where it is neither.
pub fn place(text: &str) -> Option<String> {
    match AdapterKind::from_lower_str(text) {
        Some(AdapterKind::OpenAIResp) => Some(AdapterKind::OpenAI.as_lower_str().to_owned()),
        Some(kind) => Some(kind.as_lower_str().to_owned()),
        None => address(text).ok(),
    }
}

fn address(text: &str) -> Result<String, InvalidModel> {
    let mut url = Url::parse(text.trim()).map_err(|_| InvalidModel::BaseUrl)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(InvalidModel::BaseUrl);
    }
    let path = url
        .path()
        .trim_end_matches('/')
        .trim_end_matches("/chat/completions")
        .to_owned();
    url.set_path(&format!("{path}/"));
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_makes_a_bare_name_openai_and_keeps_its_last_segment() {
        let target = Target::parse("my-model", Some("http://127.0.0.1:8080/v1")).unwrap();
        assert_eq!(
            (target.name.as_str(), target.provider(), target.model()),
            ("openai::my-model", "openai", "my-model")
        );
        assert_eq!(
            target.base_url.as_deref(),
            Some("http://127.0.0.1:8080/v1/")
        );
        let claude = Target::parse("claude-haiku", Some("https://proxy.example/v1/")).unwrap();
        assert_eq!(claude.provider(), "openai");
        let named = Target::parse(
            "anthropic::claude-haiku",
            Some("https://proxy.example/v1/chat/completions?x=1"),
        )
        .unwrap();
        assert_eq!(
            (named.provider(), named.base_url.as_deref()),
            ("anthropic", Some("https://proxy.example/v1/?x=1"))
        );
    }

    // G11
    #[test]
    fn a_place_has_one_spelling() {
        for (text, is) in [
            ("openai", Some("openai")),
            ("openai_resp", Some("openai")),
            ("ollama", Some("ollama")),
            (
                "https://proxy.example/v1",
                Some("https://proxy.example/v1/"),
            ),
            (
                "https://Proxy.example/v1/chat/completions",
                Some("https://proxy.example/v1/"),
            ),
            ("OpenAI", None),
            ("nobody", None),
            ("openai::gpt-5-mini", None),
            ("ftp://x/", None),
            ("", None),
        ] {
            assert_eq!(place(text).as_deref(), is, "{text}");
        }
    }

    #[test]
    fn names_go_to_their_providers_and_unknown_prefixes_nowhere() {
        let provider = |name| Target::parse(name, None).map(|target| target.provider());
        assert_eq!(provider("gpt-5-mini"), Ok("openai"));
        assert_eq!(provider("claude-haiku-4-5"), Ok("anthropic"));
        assert_eq!(provider("gemini-3-flash"), Ok("gemini"));
        assert_eq!(provider("ollama::qwen3"), Ok("ollama"));
        for name in [
            "",
            "builtin",
            "::x",
            "openai::",
            "nobody::x",
            "bananas",
            "qwen3:8b",
        ] {
            let error = Target::parse(name, None).unwrap_err();
            assert!(matches!(error, InvalidModel::Name(_)), "{name}");
            assert!(error.to_string().contains("provider::model"), "{error}");
        }
        let key = |name| Target::parse(name, None).unwrap().key_variable();
        assert_eq!(key("openai::gpt-4.1-mini"), Some("OPENAI_API_KEY"));
        assert_eq!(key("ollama::qwen3"), None);
        for url in ["", "localhost:8080", "ftp://x/", "file:///etc/passwd"] {
            assert_eq!(
                Target::parse("m", Some(url)).map(|t| t.name),
                Err(InvalidModel::BaseUrl),
                "{url}"
            );
        }
    }
}
