import type { NewChannel } from '../../server/channels/schema.ts'
import { advance, newCaller, placeCall } from './calls.ts'
import type { Tenant } from './harness.ts'

let count = 0

/** Returns a number that is unique in this process. Other processes use other workspaces. */
export function phoneNumber(): string {
  count += 1
  return `+1415${String(count).padStart(7, '0')}`
}

export const newContact = (fields: object = {}) => ({ phone_number: phoneNumber(), ...fields })

export const newAgent = (fields: object = {}) => ({ name: 'Reception', instructions: 'Greet the caller.', ...fields })

export const newApiKey = (fields: object = {}) => ({ name: 'CRM sync', scopes: ['contacts:read'], ...fields })

export const newImport = (fields: object = {}) => ({ rows: [{ Phone: phoneNumber() }], ...fields })

export const newWebhook = (fields: object = {}) => ({
  url: 'https://93.184.215.14/hook',
  events: ['contact.*'],
  ...fields,
})

/** The provider has a host name that no test resolves, so nothing is sent to it. */
export const newProvider = (fields: object = {}) => ({
  name: `Provider ${phoneNumber()}`,
  kind: 'openai_compatible',
  base_url: 'https://models.example/v1',
  default_model: 'small',
  api_key: 'sk-test',
  ...fields,
})

export const newTool = (fields: object = {}) => ({
  name: `tool_${phoneNumber().slice(1)}`,
  description: 'Books a slot.',
  url: 'https://tools.example/book',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  ...fields,
})

const newDocument = (fields: object = {}) => ({
  name: `Opening hours ${phoneNumber()}`,
  text: '# Opening hours\n\nWe are open from Monday to Friday, 9:00 to 18:00.\n',
  ...fields,
})

/** A server of tools. */
export const newMcpTool = (fields: object = {}) => ({
  kind: 'mcp',
  name: `mcp_${phoneNumber().slice(1)}`,
  url: 'https://tools.example/mcp',
  ...fields,
})

/** A simulator for SMS, which needs no agent and no account. */
export const newChannel = (fields: Partial<NewChannel> = {}): NewChannel => ({
  name: 'SMS',
  kind: 'sms',
  provider: 'simulator',
  ...(fields.provider !== 'web' && { address: phoneNumber() }),
  ...fields,
})
export const newConsent = (fields: object = {}) => ({ kind: 'sms', status: 'granted', ...fields })

export const newSuppression = (fields: object = {}) => ({ phone_number: phoneNumber(), ...fields })

async function delivery({ call }: Tenant): Promise<string> {
  const { id } = (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  return `${id}/deliveries/${(await call('POST', `/webhooks/${id}/test`)).body.data.id}`
}

async function recovery({ call }: Tenant): Promise<string> {
  const { id } = (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  const since = '2026-11-15T09:30:00Z'
  return `${id}/recoveries/${(await call('POST', `/webhooks/${id}/recover`, { since })).body.data.id}`
}

/** The version of the last agent that `agentWithVersion` has created: `agents.deploy` refers to it. */
let version_id = ''

async function agentWithVersion({ call }: Tenant): Promise<string> {
  const { id } = (await call('POST', '/agents', newAgent())).body.data
  await call('PATCH', `/agents/${id}`, { instructions: 'Ask for the name.' })
  version_id = (await call('POST', `/agents/${id}/versions`)).body.data.id
  return id
}

export const newAgentTest = (fields: object = {}) => ({
  name: 'Tells the opening hours',
  kind: 'conversation',
  steps: [{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['nine'] }] }],
  ...fields,
})

async function agentTest({ call }: Tenant): Promise<string> {
  const { id } = (await call('POST', '/agents', newAgent())).body.data
  return `${id}/tests/${(await call('POST', `/agents/${id}/tests`, newAgentTest())).body.data.id}`
}

/** Returns the id of the agent. */
async function agentWithTest(tenant: Tenant): Promise<string> {
  const id = (await agentTest(tenant)).split('/')[0] ?? ''
  await tenant.call('POST', `/agents/${id}/test_runs`, {})
  return id
}

async function testRun(tenant: Tenant): Promise<string> {
  const id = await agentWithTest(tenant)
  return (await tenant.call('GET', `/agents/${id}/test_runs`)).body.data[0].id
}

const version = async (tenant: Tenant): Promise<string> => `${await agentWithVersion(tenant)}/versions/${version_id}`

/** Returns the id of the contact. */
async function consent({ call }: Tenant): Promise<string> {
  const { id } = (await call('POST', '/contacts', newContact())).body.data
  await call('POST', `/contacts/${id}/consents`, newConsent())
  return id
}

let agent_id = ''

async function conversation({ call }: Tenant): Promise<string> {
  agent_id = (await call('POST', '/agents', newAgent())).body.data.id
  return (await call('POST', '/conversations', { agent_id, message: 'Hello' })).body.data.id
}

async function handedOver(tenant: Tenant): Promise<string> {
  const id = await conversation(tenant)
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  return id
}

/** A call that is not dialled before tomorrow. */
const newCall = (fields: object = {}) => ({
  agent_id,
  to: phoneNumber(),
  simulate: '00',
  scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
  ...fields,
})

async function call({ call }: Tenant): Promise<string> {
  agent_id = (await call('POST', '/agents', newAgent())).body.data.id
  return (await call('POST', '/calls', newCall())).body.data.id
}

let contact_id = ''

async function webChat(tenant: Tenant): Promise<string> {
  const { call, addChannel, send } = tenant
  contact_id = (await call('POST', '/contacts', newContact())).body.data.id
  const agent_id = (await call('POST', '/agents', newAgent())).body.data.id
  const { public_url } = await addChannel({ kind: 'web_chat', provider: 'web', agent_id })
  await send(`${public_url}/sessions`, {})
  return (await call('GET', '/conversations?kind=web_chat&limit=1')).body.data[0].id
}

/** A simulated call that has ended, with a recording of few words: to render more takes seconds. */
async function recordedCall(tenant: Tenant): Promise<string> {
  await tenant.addTestClock()
  const agent_id = await newCaller(tenant, {
    script: { start: 'bye', nodes: { bye: { say: 'Goodbye.', go: '@end' } } },
  })
  const { id } = await placeCall(tenant, { agent_id, to: phoneNumber(), simulate: '00' })
  await advance(tenant, 600)
  return id
}

/** A contact and a channel of the last campaign's workspace. */
let enrolled = { agent_id: '', contact_id: '', channel_id: '' }

export const newCampaign = (fields: object = {}) => ({
  name: 'Spring appointments',
  kind: 'voice',
  agent_id: enrolled.agent_id,
  ...fields,
})

async function campaign({ call, addChannel }: Tenant): Promise<string> {
  enrolled = {
    agent_id: (await call('POST', '/agents', newAgent())).body.data.id,
    contact_id: (await call('POST', '/contacts', newContact())).body.data.id,
    channel_id: (await addChannel({ kind: 'voice' })).id,
  }
  const { channel_id } = enrolled
  return (await call('POST', '/campaigns', newCampaign({ channel_ids: [channel_id] }))).body.data.id
}

async function campaignWithContact(tenant: Tenant): Promise<string> {
  const id = await campaign(tenant)
  await tenant.call('POST', `/campaigns/${id}/enrollments`, { contact_ids: [enrolled.contact_id] })
  return id
}

const campaignAfter =
  (...verbs: string[]) =>
  async (tenant: Tenant): Promise<string> => {
    const id = await campaignWithContact(tenant)
    for (const verb of verbs) await tenant.call('POST', `/campaigns/${id}/${verb}`)
    return id
  }

async function enrollment(tenant: Tenant): Promise<string> {
  const id = await campaignWithContact(tenant)
  return (await tenant.call('GET', `/campaigns/${id}/enrollments`)).body.data[0].id
}

export const newIntegration = (fields: object = {}) => ({
  name: 'Contact form',
  field_map: { phone_number: '/phone', first_name: '/name' },
  ...fields,
})

/**
 * Creates a resource and returns its id, by the name of its collection. An entry with the name of an operation creates one
 * in the state that this operation needs.
 */
export const makers: Record<string, (tenant: Tenant) => Promise<string>> = {
  contacts: async ({ call }) => (await call('POST', '/contacts', newContact())).body.data.id,
  erasures: async ({ call }) => {
    const { id } = (await call('POST', '/contacts', newContact())).body.data
    return (await call('POST', `/contacts/${id}/erase`)).body.data.id
  },
  imports: async ({ call }) => (await call('POST', '/contacts/imports', newImport())).body.data.id,
  'imports.run': async ({ call }) =>
    (await call('POST', '/contacts/imports', newImport({ is_dry_run: true }))).body.data.id,
  integrations: async ({ call }) => (await call('POST', '/integrations', newIntegration())).body.data.id,
  'integrations.list_receipts': async ({ call, send }) => {
    const { id, url } = (await call('POST', '/integrations', newIntegration())).body.data
    await send(url, { phone: phoneNumber() })
    return id
  },
  'integrations.receive': async ({ call }) =>
    new URL(
      (await call('POST', '/integrations', newIntegration({ field_map: { phone_number: '/answers/phone' } }))).body.data
        .url,
    ).pathname,
  consents: consent,
  'consents.list_of_contact': consent,
  suppressions: async ({ call }) => (await call('POST', '/suppressions', newSuppression())).body.data.id,
  audit_log: async ({ call }) => (await call('POST', '/agents', newAgent())).body.data.id,
  agents: async ({ call }) => (await call('POST', '/agents', newAgent())).body.data.id,
  'agents.publish': async ({ call }) => {
    const { id } = (await call('POST', '/agents', newAgent())).body.data
    await call('PATCH', `/agents/${id}`, { instructions: 'Ask for the name.' })
    return id
  },
  'agents.get_version': version,
  'agents.compare_versions': version,
  'agents.deploy': agentWithVersion,
  'agents.rollback': async (tenant) => {
    const id = await agentWithVersion(tenant)
    await tenant.call('POST', `/agents/${id}/deploy`, { version_id })
    return id
  },
  'agent_tests.get': agentTest,
  'agent_tests.update': agentTest,
  'agent_tests.delete': agentTest,
  'agent_tests.list': async (tenant) => (await agentTest(tenant)).split('/')[0] ?? '',
  'agent_tests.get_gate': agentWithTest,
  test_runs: testRun,
  'test_runs.list': agentWithTest,
  'test_runs.create': agentWithTest,
  providers: async ({ call }) => (await call('POST', '/providers', newProvider())).body.data.id,
  tools: async ({ call }) => (await call('POST', '/tools', newTool())).body.data.id,
  documents: async ({ call }) => (await call('POST', '/documents', newDocument())).body.data.id,
  'documents.list_unanswered': async (tenant) => {
    const nodes = { ask: { say: 'Yes?', answer_from_knowledge: true, else: { say: 'I do not know.' } } }
    const agent = newAgent({ knowledge: { tags: ['shop'] }, script: { start: 'ask', nodes } })
    agent_id = (await tenant.call('POST', '/agents', agent)).body.data.id
    await tenant.call('POST', '/conversations', { agent_id, message: 'Do you sell vouchers?' })
    await tenant.work()
    return (await tenant.call('GET', '/documents/unanswered')).body.data[0].id
  },
  'documents.refresh': async ({ call }) =>
    (await call('POST', '/documents', { url: `https://pages.example/${phoneNumber()}` })).body.data.id,
  'tools.list_mcp_tools': async ({ call }) => (await call('POST', '/tools', newMcpTool())).body.data.id,
  channels: async ({ addChannel }) => (await addChannel()).id,
  conversations: conversation,
  'conversations.answer': handedOver,
  'conversations.take_back': handedOver,
  'conversations.link': webChat,
  calls: call,
  'calls.list_events': async ({ addCall }) => (await addCall()).id,
  'calls.hang_up': async ({ addCall }) => (await addCall()).id,
  'calls.get_transcript': recordedCall,
  'calls.get_recording': recordedCall,
  'calls.delete_recording': recordedCall,
  campaigns: campaign,
  'campaigns.start': campaignWithContact,
  'campaigns.pause': campaignAfter('start'),
  'campaigns.resume': campaignAfter('start', 'pause'),
  'campaigns.forecast': campaignWithContact,
  'campaigns.get_report': campaignWithContact,
  'enrollments.list': campaignWithContact,
  'enrollments.list_of_contact': async (tenant) => {
    await campaignWithContact(tenant)
    return enrolled.contact_id
  },
  enrollments: enrollment,
  'enrollments.retry': async (tenant) => {
    const id = await enrollment(tenant)
    await tenant.call('POST', `/enrollments/${id}/skip`)
    return id
  },
  events: async ({ call }) => {
    await call('POST', '/contacts', newContact())
    return (await call('GET', '/events?limit=1')).body.data[0].id
  },
  overview: async ({ call }) => (await call('POST', '/contacts', newContact())).body.data.id,
  webhooks: async ({ call }) => (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data.id,
  // The URL of an inbox can't be changed.
  'webhooks.update': async ({ call }) => (await call('POST', '/webhooks', newWebhook())).body.data.id,
  'webhooks.receive': async ({ call }) => (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data.url,
  'webhooks.get_delivery': delivery,
  'webhooks.resend_delivery': delivery,
  'webhooks.get_recovery': recovery,
  test_clock: async ({ addTestClock }) => {
    await addTestClock()
    return ''
  },
  workspace: async ({ id }) => id,
  api_keys: async ({ call }) => (await call('POST', '/api_keys', newApiKey())).body.data.id,
}

/** A valid body for each operation that has one. */
export const bodies: Record<string, () => object> = {
  'contacts.create': () => newContact({ custom_fields: { plan: 'gold' } }),
  'contacts.update': () => ({ first_name: 'Ada' }),
  'contacts.upsert': () => ({ first_name: 'Ada' }),
  'contacts.batch': () => ({ operations: [{ op: 'create', data: newContact() }] }),
  'contacts.set_crm_id': () => ({ id: phoneNumber() }),
  'imports.create': newImport,
  'integrations.create': newIntegration,
  'integrations.update': () => ({ name: 'Another form' }),
  'integrations.dry_run': () => ({ sample: { phone: phoneNumber() } }),
  'integrations.receive': () => ({ answers: { phone: phoneNumber() } }),
  'consents.create': newConsent,
  'suppressions.create': newSuppression,
  'agents.create': newAgent,
  'agents.update': () => ({ instructions: 'Ask for the name.', limits: { turns_max: 50 } }),
  'agents.publish': () => ({ note: 'Asks for the name.' }),
  'agents.deploy': () => ({ version_id }),
  'agent_tests.create': newAgentTest,
  'agent_tests.update': () => ({ name: 'Another' }),
  'test_runs.create': () => ({ repeat: 2 }),
  'providers.create': newProvider,
  'providers.update': () => ({ default_model: 'large' }),
  'tools.create': newTool,
  'tools.update': () => ({ description: 'Another' }),
  'tools.test': () => ({ arguments: { day: 'tue' } }),
  'documents.create': newDocument,
  'documents.update': () => ({ tags: ['shop'] }),
  'channels.create': newChannel,
  'channels.update': () => ({ name: 'Another' }),
  'channels.test': () => ({ to: phoneNumber() }),
  'conversations.create': () => ({ agent_id, message: 'Hello' }),
  'conversations.say': () => ({ text: 'When are you open?' }),
  'conversations.hand_over': () => ({ reason: 'Asks for a refund.' }),
  'conversations.answer': () => ({ text: 'Nine to six.' }),
  'conversations.link': () => ({ contact_id }),
  'calls.create': newCall,
  'calls.create_web': () => ({ agent_id, is_test: true }),
  'calls.update': () => ({ metadata: { ticket: 'T-1' } }),
  'campaigns.create': newCampaign,
  'campaigns.update': () => ({ name: 'Autumn appointments', agent_id: enrolled.agent_id }),
  'campaigns.forecast': () => ({ seed: 1 }),
  'enrollments.create': () => ({ contact_ids: [enrolled.contact_id] }),
  'webhooks.create': newWebhook,
  'webhooks.update': () => ({ description: 'Another' }),
  'webhooks.receive': () => ({ anything: true }),
  'webhooks.recover': () => ({ since: '2026-11-15T09:30:00Z' }),
  'test_clock.advance': () => ({ by_seconds: 60 }),
  'workspace.update': () => ({ settings: { tool_runs_keep_days: 30 } }),
  'api_keys.create': newApiKey,
  'api_keys.rotate': () => ({ overlap_seconds: 60 }),
}
