//! Japanese: memories that come from elsewhere.

use domain::import::{ImportFormat, ImportState, RowState};

use super::super::*;

/// Imports.
pub const IMPORTS: Imports = Imports {
    title: "インポート",
    lead: "表や mem0 にある既存のメモリーを取り込みます。ほかの候補と同じく審査待ちになり、取り込んだだけでは承認されません。",
    upload: "ファイルをアップロード",
    upload_how: "まず各行がどうなるかを確認できます。実行するまで何も提案されず、実行されないアップロードは1週間で破棄されます。",
    file: "ファイル",
    file_how: "見出し行のある CSV、mem0 の JSON、または1行に1件の JSON。UTF-8、8 MB・10,000行まで。",
    format: "形式",
    as_it_looks: "ファイルから判断",
    formats: |format| match format {
        ImportFormat::Csv => "表 (CSV)",
        ImportFormat::Json => "mem0 の JSON",
        ImportFormat::JsonLines => "1行に1件の JSON",
    },
    submit: "アップロードして確認",
    file_fault: |code, which| {
        match code {
        "required" => "ファイルを選んでください。",
        "empty_file" => "ファイルが空です。",
        "no_rows" => "ファイルに行がないか、唯一の行が列の名前として読まれました。",
        "open_quote" => {
            return format!(
                "{which}行目で始まる引用符が閉じられていません。以降がすべて一つのセルになってしまうため、閉じるか取り除いてください。"
            );
        }
        "after_quote" => {
            return format!(
                "{which}行目で、閉じた引用符の後に文字があります。引用符で囲んだセルの中の引用符は二つ重ねてください（「\"likes \"\"big\"\" cars\"」）。"
            );
        }
        "not_utf8" => "UTF-8 ではありません。UTF-8 で保存してください（Excel では「CSV UTF-8」）。",
        "nul" => "NUL 文字が含まれており、テキストではありません。",
        "too_large" => "8 MB を超えています。分割してください。",
        "too_many_rows" => "10,000行を超えています。分割してください。",
        "too_many_columns" => "列が200を超えています。不要な列を取り除いてください。",
        "no_head" => {
            return format!("{which}列目に名前がありません。1行目に列の名前が必要です。");
        }
        "head_twice" => {
            return format!("「{which}」という列が二つあります。別の名前にしてください。");
        }
        "not_json" => "JSON ではありません。",
        "no_list" => "メモリーの一覧が見つかりません。",
        _ => "ファイルを読めません。",
    }
    .to_owned()
    },
    list: "これまでのアップロード",
    none: "インポートはまだありません",
    none_how: "上からファイルをアップロードすると、ほかのシステムのメモリーを審査待ちに取り込めます。",
    uploaded: "アップロード",
    command_line: "コマンドライン",
    standing: "状態",
    rows: |n| format!("{}行", grouped(n)),
    state: |state| match state {
        ImportState::Ready => "確認済み・未実行",
        ImportState::Running => "提案中",
        ImportState::Stopped => "停止",
        ImportState::Done => "完了",
        ImportState::Withdrawing => "取り下げ中",
        ImportState::Withdrawn => "取り下げ済み",
        ImportState::Expired => "破棄（実行されず）",
    },
    row_state: |state| match state {
        RowState::Waits => "取り込めます",
        RowState::Proposed => "提案済み",
        RowState::Duplicate => "既にあります",
        RowState::Known => "以前に取り込み済み",
        RowState::Failed => "取り込めません",
    },
    error: |code| match code {
        "deactivated" => "アップロードした人が無効化されました。",
        "forbidden" => "アップロードした人に権限がなくなりました。",
        "key_ended" => "アップロードに使われたキーが取り消されたか、期限が切れました。",
        _ => "Keepsake の内部で失敗しました。理由はログにあります。",
    },
    no_name: "アップロード",
    of_file: |file| format!("{file} のインポート"),
    look_again: "再表示",
    progress: |done, total| format!("{} / {}行", grouped(done), grouped(total)),
    run: |n| format!("{}行を提案する", grouped(n)),
    run_how: "それぞれ「インポート」の印が付いた候補になり、判断を待ちます。",
    stop: "停止",
    stop_how: "提案済みの候補は待ち続け、残りは後で提案できます。",
    withdraw: "取り下げる",
    withdraw_how: "まだ判断されていない候補を審査待ちから外します。判断済みのものは残り、ファイルは再度取り込めます。",
    forget: "このアップロードを破棄する",
    forget_how: "まだ何も提案されていません。アップロードした内容を、1週間待たずに今すぐ削除します。",
    no_content: |names| {
        format!(
            "内容の列がありません。ファイルの1行目を列の名前として読みました: {names}。これがほかと同じデータの行なら、その上に user_id,content のような列の名前の行を加えて、もう一度アップロードしてください。そうでなければ、下で内容の列を選んでください。"
        )
    },
    in_queue: "審査待ちで見る",
    mapping: "列の割り当て",
    mapping_how: "列の名前から推測しています。違うものを直して、もう一度確認してください。",
    column: "列",
    becomes: "割り当て",
    not_taken: "– 取り込まない –",
    as_metadata: |name| format!("メタデータ: {name}"),
    as_pair: |name| format!("ユーザーの一部: {name}"),
    field: |word| match word {
        "user_id" => "ユーザー",
        "content" => "内容",
        "kind" => "種類",
        "name" => "名前",
        "tags" => "タグ",
        "importance" => "重要度",
        "said_at" => "発言日時",
        "source_id" => "元の ID",
        "metadata" => "メタデータ",
        "scope" => "ユーザーの一部",
        _ => "行全体",
    },
    for_all: "すべての行で同じ値",
    for_all_how: "列にないときに使います。",
    check_again: "この割り当てで確認",
    mapping_fault: |code| match code {
        "required" => {
            "内容・ユーザー・種類の列を選ぶか、すべての行に使うユーザーと種類を入力してください。"
        }
        "twice" => "二つの列が同じ割り当てです。一つにしてください。",
        _ => "ファイルに合いません。",
    },
    preview: "最初の行の取り込み結果",
    preview_how: "20行まで。",
    number: "行",
    line: "ファイルの行",
    faults: "取り込めない行",
    faults_how: "ほかの行はこれらを除いて提案されます。ファイルを直して再度アップロードしても、提案済みの行が重複することはありません。",
    download: "表でダウンロード",
    what_to_do: "対処",
    fault: |field, code| match (field, code) {
        ("row", "columns") => {
            "セルの数が見出しと違います。区切り文字を含むセルは引用符で囲み、空のセルの区切り文字も残してください。"
        }
        ("row", "not_json") => "この行は JSON ではありません。",
        ("row", "not_an_object") => "メモリーは項目を持つオブジェクトです。",
        ("user_id", "required") => {
            "誰についてかを示すか、すべての行に使うユーザーを入力してください。"
        }
        ("user_id", "too_long") => "ユーザー ID は1〜256文字で、制御文字は使えません。",
        ("user_id", "reserved") => "ユーザー ID は usr_ で始められません。",
        ("user_id", "opted_out") => "本人がオプトアウトしているため、何も記憶しません。",
        ("user_id", "shared_id") => "エージェントの設定では、複数の人が共有する ID です。",
        ("user_id", "mapping_changed") => {
            "全行に共通するユーザーの値が消去されたため、誰についての行か判断できません。その値を付けてアップロードし直してください。"
        }
        ("scope", "too_long") => {
            "ユーザーを示す組は五つまで、名前は1〜64文字、値は1〜256文字です。"
        }
        ("content", "required") => "記憶する内容がありません。",
        ("content", "too_long") => {
            "メモリーは2,000文字までです。短くするか、二つに分けてください。"
        }
        ("content", "hidden_characters") => "表示されない文字を取り除いてください。",
        ("content", "rejected_before") => "同じ内容が過去90日以内に却下されています。",
        (_, "secret") => "キー、パスワード、カード番号を取り除いてください。秘密は保存されません。",
        ("kind", "required") => "種類を示すか、すべての行に使う種類を選んでください。",
        ("kind", _) => {
            "エージェントで使う種類にしてください。プロフィール項目、要約、パターンは取り込めません。"
        }
        ("name", _) => "名前は1〜200文字で、制御文字は使えません。",
        ("tags", _) => "タグは20個まで、それぞれ64文字までの文字列です。",
        ("importance", _) => "重要度は0.0から1.0までの数です。",
        ("said_at", "range") => "日付が未来か、1970年より前です。",
        ("said_at", _) => {
            "日付は 2026-03-01 または 2026-03-01T10:00:00Z のように書いてください。日や月で始まる日付は区別できないため、推測しません。"
        }
        ("source_id", "too_long") => "IDは1〜256文字で、制御文字は使えません。",
        ("metadata", _) => "種類のスキーマに合いません。種類を確認するか、列を外してください。",
        (_, "wrong_type") => "リストや真偽値ではなく、文字列が必要です。",
        (_, "internal") => {
            "Keepsake の内部で失敗しました。理由はログにあります。もう一度実行してください。"
        }
        _ => "このままでは保存できません。",
    },
    all: "すべてのインポート",
    from_file: |row| format!("取り込んだファイルの{}行目", grouped(row)),
    flash_uploaded: "アップロードしました。各行がどうなるかを確認してから提案してください。",
    flash_mapped: "すべての行をもう一度確認しました。",
    flash_running: "提案しています。このページを離れてもかまいません。",
    flash_stopped: "停止しました。",
    flash_withdrawn: "取り下げています。判断済みのものは残ります。",
    flash_forgotten: "アップロードを破棄しています。",
    flash_not_now: "実行中と終了後にはできません。",
};
