//! Japanese: the demo and the first steps.

use super::super::*;

/// The demo.
pub const DEMO: Demo = Demo {
    banner: "デモデータ：この人たちと発言は架空のものです。",
    remove: "デモを削除",
    offer: "まず試してみる",
    offer_how: "demoという専用のエージェントに、3言語で話す架空の3人と40件の候補を用意します。ワンクリックですべて削除できます。",
    fill: "デモデータを入れる",
    filled: "デモを用意しました。エージェントdemoに架空の3人がいます。最新の会話は1分以内に読み取られます。",
    filling: "デモはすでに準備中です。数秒かかります。",
    half: "まだ全部はそろっていません：準備が途中で止まったか、今も続いています。",
    removed: "デモを削除しました。ほかには何も変更していません。",
    name_taken: "demoという名前のエージェントがすでにあります。デモにはこの名前が必要です。",
    with_setup: "試用のためのデモデータを入れる",
    with_setup_how: "demoという専用のエージェントに架空の3人を用意します。あとでワンクリックで削除できます。",
};

/// The first steps.
pub const FIRST_STEPS: FirstSteps = FirstSteps {
    title: "はじめの手順",
    lead: "実際に終わった手順には、自動でチェックが付きます。",
    done: "完了",
    open: "未完了",
    agent: "エージェントを作成する",
    agent_how: "エージェントは、ユーザー、メモリー、キーを持つ一つのアシスタントです。",
    agent_go: "エージェントを作成",
    key: "キーを作成する",
    key_how: "エージェントの呼び出しに使います。表示は一度だけです。",
    key_go: |agent| format!("{agent}のキーを作成"),
    send: "最初の会話を送る",
    send_how: "エージェントが会話を送ると、Keepsakeはすぐに応答し、裏で読み取ります。",
    review: "候補を判断する",
    review_how: "覚える価値のあるものは、人が判断するまでキューで待ちます。",
    review_go: "キューを開く",
    context: "コンテキストを取得する",
    context_how: "承認されたものだけが渡ります。文章をエージェントのシステムプロンプトに入れてください。",
    snippet: |language| format!("{language}の例"),
    hooks: "Claude Code、Cursor、Codex、Gemini CLIのフックで（コンテキストも取得します）",
};
