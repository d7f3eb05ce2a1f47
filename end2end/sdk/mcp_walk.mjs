// Walks through /mcp with the official TypeScript SDK, which also holds every answer against the schema that was listed for it.
//
// `cargo xtask sdk` starts a Keepsake of its own for it, and says by the environment where it is and with which keys.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { KEEPSAKE_URL: URL_OF, KEEPSAKE_SUPPORT_KEY: SUPPORT, KEEPSAKE_SALES_KEY: SALES, KEEPSAKE_PERSON_KEY: PERSON } = process.env;
const TOOLS = ['memory_context', 'memory_search', 'memory_propose', 'memory_feedback'];
const CONTENT = 'User works at StartupCorp';

class Model {
  static async connect(key) {
    const model = new Model();
    model.client = new Client({ name: 'walk', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await model.client.connect(new StreamableHTTPClientTransport(new URL(`${URL_OF}/mcp`), { requestInit }));
    model.listed = (await model.client.listTools()).tools;
    return model;
  }

  async told(name, args) {
    const result = await this.client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  }

  async refused(name, args) {
    const result = await this.client.callTool({ name, arguments: args });
    assert.ok(result.isError, `${name}: ${JSON.stringify(result.structuredContent)}`);
    return JSON.parse(result.content[0].text);
  }
}

async function approve(candidate) {
  const answer = await fetch(`${URL_OF}/api/v1/candidates/${candidate}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PERSON}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()).memory;
}

async function walk(user) {
  const model = await Model.connect(SUPPORT);
  assert.match(model.client.getInstructions(), /memory_propose/);
  assert.deepEqual(model.listed.map((tool) => tool.name), TOOLS);
  assert.deepEqual(model.listed.map((tool) => tool.annotations.readOnlyHint), [true, true, false, false]);

  const proposal = { user_id: user, kind: 'fact', content: CONTENT };
  const proposed = await model.told('memory_propose', proposal);
  assert.equal(proposed.outcome, 'proposed');
  assert.equal(proposed.candidate.status, 'pending');
  assert.equal(proposed.candidate.user_id, user);
  assert.equal((await model.told('memory_propose', proposal)).outcome, 'seen_again');
  assert.deepEqual((await model.told('memory_context', { user_id: user })).items, []);

  const memory = await approve(proposed.candidate.id);
  const asked = { user_id: user, query: 'where do they work?' };
  const context = await model.told('memory_context', asked);
  assert.ok(context.block.includes(CONTENT), context.block);
  assert.equal(context.items[0].memory, memory);
  const same = await model.told('memory_context', { ...asked, if_changed: context.etag });
  assert.deepEqual(same, { unchanged: true, etag: context.etag });
  const found = await model.told('memory_search', { query: 'startupcorp', user_id: user });
  assert.deepEqual(found.data.map((one) => one.id), [memory]);
  const report = { serving: context.serving, memory, helped: true };
  assert.deepEqual(await model.told('memory_feedback', report), { reported: true });
  const nobody = await model.refused('memory_context', {});
  assert.deepEqual([nobody.code, nobody.errors[0].pointer], ['invalid', '/user_id']);
  await assert.rejects(model.client.callTool({ name: 'memory_approve', arguments: {} }), /no such tool/);
  await model.client.close();

  const other = await Model.connect(SALES);
  assert.deepEqual((await other.told('memory_context', { user_id: user })).items, []);
  assert.equal((await other.refused('memory_feedback', report)).code, 'not_found');
  await other.client.close();

  const person = await Model.connect(PERSON);
  assert.ok(person.listed.every((tool) => tool.inputSchema.required.includes('agent')));
  assert.equal((await person.refused('memory_context', { user_id: user })).errors[0].pointer, '/agent');
  assert.ok((await person.told('memory_context', { user_id: user, agent: 'support' })).block.includes(CONTENT));
  await person.client.close();
}

for (const user of ['x" or "1"="1', 'a:b/../c', '%', '🦜']) await walk(user);
await assert.rejects(Model.connect(`keep_live_${'0'.repeat(36)}`), /This key is not valid/);
console.log('  MCP by the TypeScript SDK: walked');
