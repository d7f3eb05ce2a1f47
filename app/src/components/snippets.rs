//! The first calls of an agent, in the languages that most agents are written in, with nothing but what these bring.

use leptos::prelude::*;

use crate::text::Text;

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// A conversation comes in.
    Send,
    /// A context is asked for.
    Context,
}

impl Call {
    fn path(self) -> &'static str {
        match self {
            Self::Send => "/api/v1/conversations",
            Self::Context => "/api/v1/context",
        }
    }

    fn json(self, said: &str) -> String {
        match self {
            Self::Send => format!(
                "{{\"user_id\": \"ana\", \"end\": true, \"messages\": [{{\"role\": \"user\", \"content\": \"{said}\"}}]}}"
            ),
            Self::Context => "{\"user_id\": \"ana\"}".to_owned(),
        }
    }

    fn curl(self, url: &str, said: &str) -> String {
        let (path, json) = (self.path(), self.json(said));
        format!(
            "curl {url}{path} \\\n  -H \"Authorization: Bearer $KEEPSAKE_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{json}'"
        )
    }

    fn python(self, url: &str, said: &str) -> String {
        let path = self.path();
        let json = self.json(said).replace(": true", ": True");
        let last = match self {
            Self::Send => "print(answer.json()[\"operation\"])",
            Self::Context => "system_prompt += answer.json()[\"block\"]",
        };
        format!(
            "import os, requests\n\nanswer = requests.post(\n    \"{url}{path}\",\n    headers={{\"Authorization\": f\"Bearer {{os.environ['KEEPSAKE_KEY']}}\"}},\n    json={json},\n    timeout=5,\n)\nanswer.raise_for_status()\n{last}"
        )
    }

    fn typescript(self, url: &str, said: &str) -> String {
        let (path, json) = (self.path(), self.json(said));
        let last = match self {
            Self::Send => "console.log((await answer.json()).operation);",
            Self::Context => "systemPrompt += (await answer.json()).block;",
        };
        format!(
            "const answer = await fetch(\"{url}{path}\", {{\n  method: \"POST\",\n  headers: {{ Authorization: `Bearer ${{process.env.KEEPSAKE_KEY}}`, \"Content-Type\": \"application/json\" }},\n  body: JSON.stringify({json}),\n  signal: AbortSignal.timeout(5000),\n}});\nif (!answer.ok) throw new Error(await answer.text());\n{last}"
        )
    }
}

/// What lets a coding agent's client do both calls by itself.
pub fn hook(url: &str) -> String {
    format!(
        "# or cursor, codex, gemini\nKEEPSAKE_API_KEY=\"$KEEPSAKE_KEY\" keepsake hook install --client claude-code --url {url}"
    )
}

/// The call as a command, and folded away in Python and TypeScript; where a conversation comes in, also by hooks.
pub fn snippets(text: &'static Text, url: &str, call: Call) -> AnyView {
    let said = text.agents.example_statement;
    let folded = |summary: String, code: String| {
        view! {
            <details>
                <summary>{summary}</summary>
                <pre tabindex="0" lang="en">{code}</pre>
            </details>
        }
    };
    let words = &text.first_steps;
    let hooks = (call == Call::Send).then(|| folded(words.hooks.to_owned(), hook(url)));
    view! {
        <pre tabindex="0" lang="en">{call.curl(url, said)}</pre>
        {folded((words.snippet)("Python"), call.python(url, said))}
        {folded((words.snippet)("TypeScript"), call.typescript(url, said))}
        {hooks}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_snippet_calls_this_installation_with_the_key_of_the_environment() {
        for call in [Call::Send, Call::Context] {
            let url = "https://keepsake.example";
            for code in [
                call.curl(url, "Hi"),
                call.python(url, "Hi"),
                call.typescript(url, "Hi"),
            ] {
                assert!(code.contains(&format!("{url}{}", call.path())), "{code}");
                assert!(
                    code.contains("KEEPSAKE_KEY") && code.contains("ana"),
                    "{code}"
                );
            }
        }
        assert!(Call::Send.python("", "Hi").contains("\"end\": True"));
    }
}
