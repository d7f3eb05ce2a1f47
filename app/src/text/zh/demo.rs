//! Simplified Chinese: the demo and the first steps.

use super::super::*;

/// The demo.
pub const DEMO: Demo = Demo {
    banner: "演示数据：这些人和他们说的话都是虚构的。",
    remove: "移除演示",
    offer: "先看一看",
    offer_how: "在名为demo的独立智能体中放入三位虚构人物、三种语言和四十条候选。一键即可全部移除。",
    fill: "填入演示数据",
    filled: "演示已就绪：智能体demo中有三位虚构人物。他们刚说的话会在一分钟内读取。",
    filling: "演示正在填充，需要几秒钟。",
    half: "尚不完整：填充曾被中断，或正在进行。",
    removed: "演示已移除，其他内容没有改动。",
    name_taken: "已有一个您自己的智能体名为demo。演示需要这个名称。",
    with_setup: "填入演示数据以便试用",
    with_setup_how: "在名为demo的独立智能体中放入三位虚构人物，之后一键即可移除。",
};

/// The first steps.
pub const FIRST_STEPS: FirstSteps = FirstSteps {
    title: "最初的步骤",
    lead: "每一步真正完成后会自动打勾。",
    done: "已完成",
    open: "未完成",
    agent: "创建智能体",
    agent_how: "一个智能体就是一个助手，有自己的用户、记忆和密钥。",
    agent_go: "创建智能体",
    key: "为它创建密钥",
    key_how: "智能体用它签署调用。密钥只显示一次。",
    key_go: |agent| format!("为{agent}创建密钥"),
    send: "发送第一段会话",
    send_how: "智能体发送对话内容；Keepsake立即回应，并在后台读取。",
    review: "处理一条候选",
    review_how: "值得记住的内容在队列中等待，直到有人决定。",
    review_go: "打开队列",
    context: "获取上下文",
    context_how: "只告知已批准的内容。把文本放入智能体的系统提示词。",
    snippet: |language| format!("{language}示例"),
    hooks: "通过Claude Code、Cursor、Codex或Gemini CLI的钩子（也会获取上下文）",
};
