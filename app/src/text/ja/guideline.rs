//! Japanese: guidelines.

use super::super::*;

/// The guidelines of a kind.
pub const GUIDELINES: Guidelines = Guidelines {
    title: "レビュー担当者向けガイドライン",
    lead: "この種類に残すものと残さないものです。各候補の横に、読む人の言語で表示されます。その言語が空なら英語で表示されます。",
    in_language: |language| format!("{language}版"),
    how: "残すものと残さないものを、例をつけて書いてください。空にすると、この言語では何も表示されません。",
    save: "ガイドラインを保存",
    none: "この言語では何も書かれていません。",
    history: "履歴",
    version: |n| format!("第{n}版"),
    beginning: "Keepsakeの初期文面",
    by: |who, when| format!("{who}、{when}"),
    emptied: "空にしました。",
};
