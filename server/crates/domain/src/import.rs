//! Memories that come from elsewhere (G13): in which form a file is, what its columns become, and how far an import is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{conversation::words, kind::Kind, time::Span};

/// The most rows of one file.
pub const MAX_ROWS: usize = 10_000;

/// The most columns of one file.
pub const MAX_COLUMNS: usize = 200;

/// How long an upload that nobody runs is kept.
pub const UPLOAD_WAITS_FOR: Span = Span::days(7);

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFormat {
    /// A table with a head, its columns parted by commas, semicolons or tabs.
    Csv,
    /// One JSON text: a list of memories, also inside `results`, `memories` or `data`, as mem0 exports them.
    Json,
    /// A memory in JSON a line.
    JsonLines,
}

words!(ImportFormat { Csv = "csv", Json = "json", JsonLines = "json_lines" });

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    /// It was looked at; nothing was proposed yet.
    Ready,
    /// Its rows are being proposed.
    Running,
    /// It was stopped, by a person or because whoever uploaded it may not go on; a code says why. It can go on.
    Stopped,
    /// Each row was tried.
    Done,
    /// What waits of it is being taken out of the queue.
    Withdrawing,
    /// That is done.
    Withdrawn,
    /// Nobody ran it in time.
    Expired,
}

words!(ImportState {
    Ready = "ready",
    Running = "running",
    Stopped = "stopped",
    Done = "done",
    Withdrawing = "withdrawing",
    Withdrawn = "withdrawn",
    Expired = "expired",
});

impl ImportState {
    /// Whether something is being done with it in the background.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Withdrawing)
    }

    /// Whether it can be run, and what its columns become can still be changed.
    pub fn can_run(self) -> bool {
        matches!(self, Self::Ready | Self::Stopped)
    }

    /// Whether it can be withdrawn.
    pub fn can_withdraw(self) -> bool {
        matches!(self, Self::Ready | Self::Stopped | Self::Done)
    }
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// It fits, and was not proposed yet.
    Waits,
    /// It is a candidate.
    Proposed,
    /// The same is approved already, waits already, or stands further up in the file.
    Duplicate,
    /// An import proposed it before.
    Known,
    /// It does not fit.
    Failed,
}

words!(RowState {
    Waits = "waits",
    Proposed = "proposed",
    Duplicate = "duplicate",
    Known = "known",
    Failed = "failed",
});

/// What a column becomes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportField {
    /// Whom it is about.
    UserId,
    /// The statement.
    Content,
    /// Its kind.
    Kind,
    /// What identifies the thing within its kind.
    Name,
    /// Free tags.
    Tags,
    /// How much it matters.
    Importance,
    /// When it was said.
    SaidAt,
    /// What it is called where it comes from.
    SourceId,
    /// A field of its metadata.
    Metadata(String),
    /// A pair that names whom it is about beside the user id (D9).
    Scope(String),
}

/// A word that names no part of a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "not one of: user_id, content, kind, name, tags, importance, said_at, source_id, metadata.…, scope.…"
)]
pub struct UnknownField;

impl ImportField {
    /// Those that have a name of their own.
    pub const NAMED: [Self; 8] = [
        Self::Content,
        Self::UserId,
        Self::Kind,
        Self::Name,
        Self::Tags,
        Self::Importance,
        Self::SaidAt,
        Self::SourceId,
    ];

    /// The word of it, without the field of the metadata or the name of the pair.
    pub fn word(&self) -> &'static str {
        match self {
            Self::UserId => "user_id",
            Self::Content => "content",
            Self::Kind => "kind",
            Self::Name => "name",
            Self::Tags => "tags",
            Self::Importance => "importance",
            Self::SaidAt => "said_at",
            Self::SourceId => "source_id",
            Self::Metadata(_) => "metadata",
            Self::Scope(_) => "scope",
        }
    }
}

impl std::fmt::Display for ImportField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Metadata(field) => write!(f, "metadata.{field}"),
            Self::Scope(name) => write!(f, "scope.{name}"),
            named => f.write_str(named.word()),
        }
    }
}

impl std::str::FromStr for ImportField {
    type Err = UnknownField;

    fn from_str(text: &str) -> Result<Self, UnknownField> {
        if let Some(field) = text.strip_prefix("metadata.").filter(|it| !it.is_empty()) {
            return Ok(Self::Metadata(field.to_owned()));
        }
        if let Some(name) = text.strip_prefix("scope.").filter(|it| !it.is_empty()) {
            // That pair has a word of its own.
            return Ok(match name {
                "user_id" => Self::UserId,
                name => Self::Scope(name.to_owned()),
            });
        }
        Self::NAMED
            .into_iter()
            .find(|field| field.word() == text)
            .ok_or(UnknownField)
    }
}

impl Serialize for ImportField {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ImportField {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What the columns of a file become, and what stands for columns that it lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportMapping {
    /// By the name of the column. What is left out is not taken over.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, String>))]
    pub columns: BTreeMap<String, ImportField>,
    /// The same value for all rows, where no column has one.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, String>))]
    pub constants: BTreeMap<ImportField, String>,
}

/// What is wrong with a mapping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMapping {
    /// No column becomes this.
    #[error("say which column becomes {0}")]
    Missing(ImportField),
    /// Two columns become this.
    #[error("two columns become {0}; choose one")]
    Twice(ImportField),
    /// The file has no such column.
    #[error("the file has no column of this name: {0}")]
    NoColumn(String),
    /// The same statement of all rows makes no sense.
    #[error("{0} comes from a column")]
    NoConstant(ImportField),
}

impl ImportMapping {
    /// What is likely meant, by the names of the columns in English, Japanese and Chinese. Where nothing says the kind, it is the
    /// first of `kinds`.
    pub fn guess(columns: &[String], kinds: &[String]) -> Self {
        let mut mapping = Self::default();
        for column in columns {
            let field = guessed(column);
            if let Some(field) = field
                && !mapping.columns.values().any(|taken| *taken == field)
            {
                mapping.columns.insert(column.clone(), field);
            }
        }
        mapping.with_kind(kinds)
    }

    /// With the kind that stands for all rows where nothing says it.
    pub fn with_kind(mut self, kinds: &[String]) -> Self {
        if self.column_of(&ImportField::Kind).is_none() {
            let fact = kinds.iter().find(|kind| *kind == "fact");
            if let Some(kind) = fact.or_else(|| kinds.first()) {
                let constant = self.constants.entry(ImportField::Kind);
                constant.or_insert_with(|| kind.clone());
            }
        }
        self
    }

    /// The column that becomes this.
    pub fn column_of(&self, field: &ImportField) -> Option<&str> {
        let mut columns = self.columns.iter();
        columns
            .find(|(_, becomes)| *becomes == field)
            .map(|(column, _)| column.as_str())
    }

    /// The pairs that name whom a row is about beside the user id.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &ImportField)> {
        let fields = self.columns.values().chain(self.constants.keys());
        fields.filter_map(|field| match field {
            ImportField::Scope(name) => Some((name.as_str(), field)),
            _ => None,
        })
    }

    /// Whether a column says whom a row is about.
    pub fn names_somebody(&self, column: &str) -> bool {
        let field = self.columns.get(column);
        matches!(field, Some(ImportField::UserId | ImportField::Scope(_)))
    }

    /// Whether it can be applied to a file with these columns.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self, columns: &[String]) -> Result<(), BadMapping> {
        let mut taken: Vec<&ImportField> = Vec::new();
        for (column, field) in &self.columns {
            if !columns.contains(column) {
                return Err(BadMapping::NoColumn(column.clone()));
            }
            if taken.contains(&field) {
                return Err(BadMapping::Twice(field.clone()));
            }
            taken.push(field);
        }
        for field in [ImportField::Content, ImportField::SourceId] {
            if self.constants.contains_key(&field) {
                return Err(BadMapping::NoConstant(field));
            }
        }
        for field in [ImportField::Content, ImportField::UserId, ImportField::Kind] {
            if !taken.contains(&&field) && !self.constants.contains_key(&field) {
                return Err(BadMapping::Missing(field));
            }
        }
        Ok(())
    }
}

/// In which lines of a file its rows begin. Rows mostly follow one another line by line, so it holds where they do not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lines(Vec<(i64, i64)>);

impl Lines {
    /// Of the rows from 1 on, in their order; `None`: nothing tells in which line one begins.
    pub fn of(lines: impl IntoIterator<Item = Option<i64>>) -> Self {
        let mut known = Self::default();
        for (row, line) in (1..).zip(lines) {
            if let Some(line) = line
                && known.line_of(row) != Some(line)
            {
                known.0.push((row, line));
            }
        }
        known
    }

    /// The line in which a row begins, from 1, the head counted.
    pub fn line_of(&self, row: i64) -> Option<i64> {
        let behind = self.0.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.0.get(behind.checked_sub(1)?)?;
        Some(line + row - first)
    }
}

/// Kinds that nothing is imported into: Keepsake makes them out of conversations and schemas.
pub fn takes_imports(kind: &Kind) -> bool {
    kind.enabled && kind.set != "always"
}

/// What a column is likely meant for, by its name.
fn guessed(column: &str) -> Option<ImportField> {
    let name: String = column
        .trim()
        .to_lowercase()
        .chars()
        .map(|letter| match letter {
            ' ' | '-' | '　' => '_',
            other => other,
        })
        .collect();
    for of in ["metadata.", "scope."] {
        if name.starts_with(of) {
            // As it is written: schemas and scopes tell upper case from lower.
            let below = column.trim().get(of.len()..)?;
            return format!("{of}{below}").parse().ok();
        }
    }
    Some(match name.as_str() {
        "user_id" | "userid" | "user" | "customer_id" | "customer" | "member_id" | "email"
        | "ユーザーid" | "ユーザid" | "ユーザー" | "顧客id" | "会員id" | "用户id" | "用户"
        | "客户id" | "会员id" => ImportField::UserId,
        // What one app of mem0 has the other has not. Its agent_id is the agent, and its run_id a conversation: they name nobody.
        "app_id" => ImportField::Scope("app_id".to_owned()),
        "memory" | "content" | "text" | "statement" | "fact" | "note" | "data" | "内容"
        | "メモリ" | "メモリー" | "記憶" | "本文" | "テキスト" | "记忆" | "文本" | "正文" => {
            ImportField::Content
        }
        "kind" | "type" | "種類" | "種別" | "类型" | "种类" => ImportField::Kind,
        "name" | "title" | "key" | "名前" | "名称" | "タイトル" | "标题" => {
            ImportField::Name
        }
        "tags" | "categories" | "category" | "labels" | "タグ" | "カテゴリ" | "カテゴリー"
        | "标签" | "分类" | "类别" => ImportField::Tags,
        "importance" | "priority" | "重要度" | "重要性" => ImportField::Importance,
        "said_at" | "created_at" | "created" | "date" | "timestamp" | "作成日" | "作成日時"
        | "日付" | "日時" | "创建时间" | "日期" | "时间" => ImportField::SaidAt,
        "id" | "source_id" | "memory_id" | "external_id" => ImportField::SourceId,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn kinds() -> Vec<String> {
        columns(&["preference", "fact"])
    }

    // G13
    #[test]
    fn columns_are_guessed_by_their_names_in_three_languages() {
        for (user, content, said_at) in [
            ("User ID", "Memory", "created_at"),
            ("ユーザーID", "内容", "作成日時"),
            ("用户ID", "记忆", "创建时间"),
        ] {
            let names = columns(&[user, content, said_at, "hash", "metadata.Budget"]);
            let mapping = ImportMapping::guess(&names, &kinds());
            let of = |field| mapping.column_of(&field);
            assert_eq!(of(ImportField::UserId), Some(user));
            assert_eq!(of(ImportField::Content), Some(content));
            assert_eq!(of(ImportField::SaidAt), Some(said_at));
            let budget = ImportField::Metadata("Budget".into());
            assert_eq!(of(budget), Some("metadata.Budget"));
            assert!(!mapping.columns.contains_key("hash"));
            assert_eq!(mapping.constants[&ImportField::Kind], "fact");
            assert_eq!(mapping.check(&names), Ok(()));
        }
    }

    #[test]
    fn of_two_columns_that_may_be_meant_the_first_is() {
        let names = columns(&["memory", "content", "kind"]);
        let mapping = ImportMapping::guess(&names, &kinds());
        assert_eq!(mapping.column_of(&ImportField::Content), Some("memory"));
        assert!(mapping.constants.is_empty(), "a column says the kind");
        let missing = BadMapping::Missing(ImportField::UserId);
        assert_eq!(mapping.check(&names), Err(missing));
    }

    #[test]
    fn a_mapping_that_cannot_be_applied_says_why() {
        let names = columns(&["a", "b"]);
        let mapping = |pairs: &[(&str, &str)], constants: &[(&str, &str)]| ImportMapping {
            columns: pairs
                .iter()
                .map(|(column, field)| ((*column).to_owned(), field.parse().unwrap()))
                .collect(),
            constants: constants
                .iter()
                .map(|(field, value)| (field.parse().unwrap(), (*value).to_owned()))
                .collect(),
        };
        let whole = [("user_id", "ana"), ("kind", "fact")];
        assert_eq!(mapping(&[("a", "content")], &whole).check(&names), Ok(()));
        let refused = |pairs: &[(&str, &str)], constants: &[(&str, &str)]| {
            mapping(pairs, constants).check(&names).unwrap_err()
        };
        assert_eq!(
            refused(&[("c", "content")], &whole),
            BadMapping::NoColumn("c".into())
        );
        assert_eq!(
            refused(&[("a", "content"), ("b", "content")], &whole),
            BadMapping::Twice(ImportField::Content)
        );
        assert_eq!(
            refused(
                &[],
                &[("content", "x"), ("user_id", "ana"), ("kind", "fact")]
            ),
            BadMapping::NoConstant(ImportField::Content)
        );
        assert!("metadata.".parse::<ImportField>().is_err());
        assert!("scope.".parse::<ImportField>().is_err());
        assert!("owner".parse::<ImportField>().is_err());
    }

    // G13, D9
    #[test]
    fn the_ids_of_mem0_become_what_its_surface_makes_of_them() {
        let names = columns(&[
            "memory",
            "user_id",
            "agent_id",
            "app_id",
            "run_id",
            "scope.Team",
            "scope.user_id",
        ]);
        let mapping = ImportMapping::guess(&names, &kinds());
        let app = ImportField::Scope("app_id".into());
        let team = ImportField::Scope("Team".into());
        assert_eq!(mapping.column_of(&app), Some("app_id"));
        assert_eq!(mapping.column_of(&team), Some("scope.Team"));
        assert_eq!(mapping.column_of(&ImportField::UserId), Some("user_id"));
        let pairs: Vec<&str> = mapping.pairs().map(|(name, _)| name).collect();
        assert_eq!(pairs, ["app_id", "Team"]);
        for (column, names) in [
            ("app_id", true),
            ("user_id", true),
            ("memory", false),
            ("run_id", false),
        ] {
            assert_eq!(mapping.names_somebody(column), names, "{column}");
        }
        assert_eq!(mapping.check(&names), Ok(()));
        assert_eq!("scope.user_id".parse(), Ok(ImportField::UserId));
        assert_eq!("scope.app_id".parse(), Ok(app.clone()));
        assert_eq!(
            (app.to_string().as_str(), app.word()),
            ("scope.app_id", "scope")
        );
    }

    #[test]
    fn a_row_is_found_in_its_line_past_empty_ones_and_cells_of_several() {
        let lines = [2, 3, 6, 7, 9].map(Some);
        let known = Lines::of(lines);
        let found: Vec<_> = (1..=5).map(|row| known.line_of(row)).collect();
        assert_eq!(found, lines);
        assert_eq!(
            serde_json::to_string(&known).unwrap(),
            "[[1,2],[3,6],[5,9]]"
        );
        assert_eq!(known.line_of(0), None);
        assert_eq!(Lines::of([None, None]), Lines::default());
        assert_eq!(Lines::default().line_of(1), None);
    }

    #[test]
    fn a_mapping_reads_back_from_json() {
        let names = columns(&["user", "text", "metadata.a.b"]);
        let mapping = ImportMapping::guess(&names, &kinds());
        let json = serde_json::to_string(&mapping).unwrap();
        assert_eq!(
            json,
            r#"{"columns":{"metadata.a.b":"metadata.a.b","text":"content","user":"user_id"},"constants":{"kind":"fact"}}"#
        );
        assert_eq!(
            serde_json::from_str::<ImportMapping>(&json).unwrap(),
            mapping
        );
    }

    #[test]
    fn what_runs_is_neither_changed_nor_withdrawn() {
        use ImportState::{Done, Ready, Running, Stopped, Withdrawing};
        let with = |check: fn(ImportState) -> bool| {
            let all = ImportState::ALL.iter().copied();
            all.filter(|&state| check(state)).collect::<Vec<_>>()
        };
        assert_eq!(with(ImportState::is_open), [Running, Withdrawing]);
        assert_eq!(with(ImportState::can_run), [Ready, Stopped]);
        assert_eq!(with(ImportState::can_withdraw), [Ready, Stopped, Done]);
    }
}
