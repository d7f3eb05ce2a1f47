// A profile: its schema written with a fault and put right, a field proposed and approved, and what is then known of ana.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { candidates, makeAgent, makeKey, personKey, setUp } from '../actors.mjs';
import { settled, visit } from '../chromium.mjs';

export const title = 'Mia writes down what the agent wants to know, and ana gets a profile';
export const variants = [
  { database: 'sqlite', scripts: true },
  { database: 'sqlite', scripts: false },
];

const RIGHT = `{
  "type": "object",
  "properties": {
    "technical_stack": { "type": "string", "description": "Languages, frameworks and tools" },
    "job_status": { "type": "string", "enum": ["student", "employed"], "x-ttl-days": 365 }
  }
}`;
const WRONG = RIGHT.replace('"enum": ["student", "employed"]', '"enum": "student"');

export default async function (stage) {
  const server = await stage.keepsake({ env: { KEEPSAKE_JOBS_POLL: '200ms' } });
  const page = await stage.window({ scripts: stage.variant.scripts });
  await setUp(page, server);
  await makeAgent(page, server, 'tutor');
  const agent = server.as(await makeKey(page, server, 'tutor'));
  const mia = await personKey(server, 'tutor');

  await stage.step('she writes a schema with a fault, and sees it beside its line', async () => {
    await visit(page, `${server.url}/agents/tutor`);
    await page.getByRole('link', { name: 'Add a schema' }).click();
    await settled(page);
    await page.getByLabel('Id', { exact: true }).fill('user-profile');
    await page.getByLabel('Schema', { exact: true }).fill(WRONG);
    await page.getByRole('button', { name: 'Save the schema' }).click();
    const line = page.locator('.source li[data-fault]');
    await line.waitFor();
    ok((await line.textContent()).includes('"enum": "student"'));
    equal(await line.getAttribute('value'), '5');
    equal(await page.getByLabel('Schema', { exact: true }).inputValue(), WRONG);
  });
  await stage.step('she puts it right; the fields are listed', async () => {
    await page.getByLabel('Schema', { exact: true }).fill(RIGHT);
    await page.getByRole('button', { name: 'Save the schema' }).click();
    await page.waitForURL((url) => url.pathname === '/agents/tutor/schemas/user-profile');
    await settled(page);
    const rows = await page.getByRole('region', { name: 'Fields' }).getByRole('row').allInnerTexts();
    equal(rows.length, 3);
    ok(rows.some((row) => row.includes('job_status') && row.includes('student · employed') && row.includes('365 days')), rows.join('\n'));
  });
  await stage.step('the agent proposes a field; she approves it', async () => {
    await agent.post('/candidates', field('technical_stack', 'ADK'));
    await visit(page, `${server.url}/review`);
    await page.locator('#candidate').getByText('ADK', { exact: true }).first().waitFor();
    await page.locator('#candidate').getByRole('button', { name: /^Approve\b/ }).click();
    await page.locator('#flash').getByText(/Approved/).waitFor();
    deepEqual(await candidates(mia, 'ana'), []);
  });
  await stage.step('more of it is proposed as an update, with the difference in view', async () => {
    await agent.post('/candidates', field('technical_stack', 'ADK, Python'));
    const [update] = await candidates(mia, 'ana');
    equal(update.action, 'update');
    await visit(page, `${server.url}/candidates/${update.id}`);
    ok((await page.locator('#candidate .diff ins').allInnerTexts()).join('').includes('Python'));
    await page.locator('#candidate').getByRole('button', { name: /^Approve\b/ }).click();
    await page.locator('#flash').getByText(/Approved/).waitFor();
  });
  await stage.step("ana's page shows the profile, with what is not known yet", async () => {
    const ana = (await mia.get('/users')).data.find((one) => one.user_id === 'ana');
    await visit(page, `${server.url}/users/${ana.id}`);
    const rows = await page.locator('#profile').getByRole('row').allInnerTexts();
    ok(rows.some((row) => row.includes('technical_stack') && row.includes('ADK, Python') && row.includes('revision 2')), rows.join('\n'));
    ok(rows.some((row) => row.includes('job_status') && row.includes('not known')), rows.join('\n'));
  });
  await stage.step('she gives the field an end of its own', async () => {
    await page.locator('#profile').getByRole('link', { name: 'ADK, Python' }).click();
    await settled(page);
    await page.locator('summary').filter({ hasText: 'Set the date' }).click();
    await page.getByLabel('Expires on').fill('2099-12-31');
    await page.getByRole('button', { name: 'Set the date' }).click();
    await page.locator('#flash').getByText('Saved').waitFor();
    ok((await page.locator('.facts').first().innerText()).includes('2100'), 'the end of the day is the start of the next');
  });
}

/** A field as an agent proposes it by hand. */
function field(name, value) {
  return {
    user_id: 'ana', kind: 'profile_field', name: `user-profile/${name}`, content: value,
    metadata: { schema: 'user-profile', field: name, value, extracted: value },
  };
}
