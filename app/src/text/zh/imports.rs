//! Chinese: memories that come from elsewhere.

use domain::import::{ImportFormat, ImportState, RowState};

use super::super::*;

/// Imports.
pub const IMPORTS: Imports = Imports {
    title: "导入",
    lead: "从表格或 mem0 导入已有的记忆。它们与其他候选一样等待审核；导入本身不会批准任何内容。",
    upload: "上传文件",
    upload_how: "先查看每一行会变成什么。在您确认之前不会提出任何候选；没有执行的上传一周后删除。",
    file: "文件",
    file_how: "带表头的 CSV、mem0 导出的 JSON，或每行一条记忆的 JSON；UTF-8，最大 8 MB、10,000 行。",
    format: "格式",
    as_it_looks: "按文件判断",
    formats: |format| match format {
        ImportFormat::Csv => "表格（CSV）",
        ImportFormat::Json => "mem0 导出的 JSON",
        ImportFormat::JsonLines => "每行一条记忆的 JSON",
    },
    submit: "上传并查看",
    file_fault: |code, which| {
        match code {
        "required" => "请选择文件。",
        "empty_file" => "文件是空的。",
        "no_rows" => "文件中没有行，或者唯一的一行被当成了列名。",
        "open_quote" => {
            return format!(
                "第 {which} 行的引号没有结束，其后的内容都会成为一个单元格。请补上引号或将其去掉。"
            );
        }
        "after_quote" => {
            return format!(
                "第 {which} 行的结束引号之后还有内容。引号内的单元格里的引号请写两次：“\"likes \"\"big\"\" cars\"”。"
            );
        }
        "not_utf8" => "文件不是 UTF-8。请另存为 UTF-8（Excel 中为“CSV UTF-8”）。",
        "nul" => "文件含有 NUL 字符，不是文本。",
        "too_large" => "文件超过 8 MB，请拆分。",
        "too_many_rows" => "文件超过 10,000 行，请拆分。",
        "too_many_columns" => "文件超过 200 列，请去掉不需要的列。",
        "no_head" => return format!("第 {which} 列没有名称。第一行必须是列名。"),
        "head_twice" => return format!("有两列都叫“{which}”，请分别命名。"),
        "not_json" => "文件不是 JSON。",
        "no_list" => "文件中没有记忆列表。",
        _ => "无法读取文件。",
    }
    .to_owned()
    },
    list: "已上传",
    none: "还没有导入",
    none_how: "在上方上传文件，把其他系统的记忆带入审核队列。",
    uploaded: "上传",
    command_line: "命令行",
    standing: "状态",
    rows: |n| format!("{} 行", grouped(n)),
    state: |state| match state {
        ImportState::Ready => "已查看，未执行",
        ImportState::Running => "正在提出",
        ImportState::Stopped => "已停止",
        ImportState::Done => "完成",
        ImportState::Withdrawing => "正在撤回",
        ImportState::Withdrawn => "已撤回",
        ImportState::Expired => "已删除，无人执行",
    },
    row_state: |state| match state {
        RowState::Waits => "可以导入",
        RowState::Proposed => "已提出",
        RowState::Duplicate => "已存在",
        RowState::Known => "以前已导入",
        RowState::Failed => "不能导入",
    },
    error: |code| match code {
        "deactivated" => "上传者已被停用。",
        "forbidden" => "上传者不再有权限。",
        "key_ended" => "上传所用的密钥已撤销或过期。",
        _ => "Keepsake 内部出错，原因见日志。",
    },
    no_name: "上传",
    of_file: |file| format!("导入 {file}"),
    look_again: "再看一次",
    progress: |done, total| format!("{} / {} 行", grouped(done), grouped(total)),
    run: |n| format!("提出 {} 行", grouped(n)),
    run_how: "每一行成为带“已导入”标记的候选，等待决定。",
    stop: "停止",
    stop_how: "已提出的继续等待；其余的以后可以再提出。",
    withdraw: "撤回",
    withdraw_how: "把尚无决定的候选移出队列。已决定的保留，文件可以再次导入。",
    forget: "删除此上传",
    forget_how: "尚未提出任何候选。上传的内容现在就删除，不必等一周。",
    no_content: |names| {
        format!(
            "没有一列被当作内容。文件的第一行被当成了列名：{names}。如果它和其他行一样是数据，请在其上方加一行列名，例如 user_id,content，再重新上传；否则请在下方选择内容所在的列。"
        )
    },
    in_queue: "在队列中查看",
    mapping: "各列的用途",
    mapping_how: "根据列名猜测。请更正后再查看。",
    column: "列",
    becomes: "用途",
    not_taken: "– 不导入 –",
    as_metadata: |name| format!("元数据：{name}"),
    as_pair: |name| format!("用户的一部分：{name}"),
    field: |word| match word {
        "user_id" => "用户",
        "content" => "内容",
        "kind" => "类型",
        "name" => "名称",
        "tags" => "标签",
        "importance" => "重要性",
        "said_at" => "说出的时间",
        "source_id" => "来源编号",
        "metadata" => "元数据",
        "scope" => "用户的一部分",
        _ => "整行",
    },
    for_all: "所有行相同的值",
    for_all_how: "没有对应列时使用。",
    check_again: "按此再查看",
    mapping_fault: |code| match code {
        "required" => "请选择内容、用户和类型所在的列，或为所有行填写用户和类型。",
        "twice" => "两列的用途相同，请只选一列。",
        _ => "与文件不符。",
    },
    preview: "前几行的导入结果",
    preview_how: "最多 20 行。",
    number: "行",
    line: "文件行号",
    faults: "不能导入的行",
    faults_how: "其余的行照常提出。修改文件后再次上传，已提出的行不会重复。",
    download: "下载为表格",
    what_to_do: "处理办法",
    fault: |field, code| match (field, code) {
        ("row", "columns") => {
            "单元格的数量与表头不同。含分隔符的单元格请加引号，空单元格的分隔符请保留。"
        }
        ("row", "not_json") => "这一行不是 JSON。",
        ("row", "not_an_object") => "记忆应是带字段的对象。",
        ("user_id", "required") => "请说明是关于谁的，或为所有行填写用户。",
        ("user_id", "too_long") => "用户编号为 1 到 256 个字符，不含控制字符。",
        ("user_id", "reserved") => "用户编号不能以 usr_ 开头。",
        ("user_id", "opted_out") => "此人已退出：不记住任何内容。",
        ("user_id", "shared_id") => "智能体设置中，这是多人共用的编号。",
        ("user_id", "mapping_changed") => {
            "适用于所有行的用户值已被删除，无法再判断此行是关于谁的；请补上该值后重新上传。"
        }
        ("scope", "too_long") => {
            "标识用户的键值对最多五个，名称为 1 到 64 个字符，值为 1 到 256 个字符。"
        }
        ("content", "required") => "这一行没有要记住的内容。",
        ("content", "too_long") => "一条记忆最多 2,000 个字符。请缩短或拆成两条。",
        ("content", "hidden_characters") => "请去掉不可见的字符。",
        ("content", "rejected_before") => "过去 90 天内有人拒绝过同样的内容。",
        (_, "secret") => "请去掉密钥、密码或卡号。秘密不会被保存。",
        ("kind", "required") => "请说明类型，或为所有行选择一个类型。",
        ("kind", _) => "请使用智能体的类型。资料字段、摘要和规律不能导入。",
        ("name", _) => "名称为 1 到 200 个字符，不含控制字符。",
        ("tags", _) => "标签是文本：最多 20 个，每个 64 个字符。",
        ("importance", _) => "重要性是 0.0 到 1.0 的数。",
        ("said_at", "range") => "日期在将来，或早于 1970 年。",
        ("said_at", _) => {
            "日期请写成 2026-03-01 或 2026-03-01T10:00:00Z。以日或月开头的日期无法区分，不作猜测。"
        }
        ("source_id", "too_long") => "ID 为 1 到 256 个字符，不含控制字符。",
        ("metadata", _) => "不符合该类型的模式。请查看类型，或不导入该列。",
        (_, "wrong_type") => "这里需要文本，而不是列表或真假值。",
        (_, "internal") => "Keepsake 内部出错，原因见日志。请再次执行。",
        _ => "不能原样保存。",
    },
    all: "所有导入",
    from_file: |row| format!("来自导入文件的第 {} 行", grouped(row)),
    flash_uploaded: "已上传。请先查看各行会变成什么，再提出。",
    flash_mapped: "所有行已重新查看。",
    flash_running: "正在提出。您可以离开此页。",
    flash_stopped: "已停止。",
    flash_withdrawn: "正在撤回。已决定的保留。",
    flash_forgotten: "正在删除上传。",
    flash_not_now: "执行中或结束后不能这样做。",
};
