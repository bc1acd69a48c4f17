import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent, newProvider } from '../support/samples.ts'

const { workspace } = await serve()
const configured = await serve({
  openai_api_key: 'sk-operator',
  openai_model: 'small',
  openai_models: ['whisper-1'],
})

const offline = { listen: null, speak: null }
const listen = { provider: 'Ears', model: null, language: null }
const speak = { provider: 'Mouth', model: null, voice: null, speed: null }

async function tenantWithSpeech(): Promise<Tenant> {
  const tenant = await workspace()
  for (const fields of [
    { name: 'Ears', kind: 'deepgram', default_model: undefined },
    { name: 'Mouth', kind: 'elevenlabs', default_model: undefined },
    { name: 'Both' },
    { name: 'Mute', kind: 'anthropic' },
  ])
    assert.equal((await tenant.call('POST', '/providers', newProvider(fields))).status, 201)
  return tenant
}

async function create(tenant: Tenant, speech?: object) {
  const created = await tenant.call('POST', '/agents', newAgent({ speech }))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

test('speech is offline unless it names providers, and members that are left out are null', async () => {
  const tenant = await tenantWithSpeech()
  assert.deepEqual((await create(tenant)).draft.speech, offline)
  const given = {
    listen: { provider: 'Ears', language: 'de' },
    speak: { provider: 'Both', voice: 'alloy', speed: 1.5 },
  }
  const { draft, deployed_version, id } = await create(tenant, given)
  const expected = {
    listen: { ...listen, language: 'de' },
    speak: { provider: 'Both', model: null, voice: 'alloy', speed: 1.5 },
  }
  assert.deepEqual(draft.speech, expected)
  const version = await tenant.call('GET', `/agents/${id}/versions/${deployed_version.id}`)
  assert.deepEqual(version.body.data.configuration.speech, expected)
})

test('a PATCH replaces speech as a whole, and the difference names what has changed', async () => {
  const tenant = await tenantWithSpeech()
  const { id, deployed_version } = await create(tenant, { listen, speak })
  const changed = await tenant.call('PATCH', `/agents/${id}`, { speech: { speak: { ...speak, voice: 'Ada' } } })
  assert.deepEqual(changed.body.data.draft.speech, { listen: null, speak: { ...speak, voice: 'Ada' } })
  assert.equal(changed.body.data.has_unpublished_changes, true)
  const { body } = await tenant.call('GET', `/agents/${id}/versions/${deployed_version.id}/diff`)
  assert.deepEqual(body.data.fields, [
    { path: 'speech.listen', before: listen, after: null },
    { path: 'speech.speak.voice', before: null, after: 'Ada' },
  ])
  const kept = await tenant.call('PATCH', `/agents/${id}`, { greeting: 'Hi.' })
  assert.deepEqual(kept.body.data.draft.speech, { listen: null, speak: { ...speak, voice: 'Ada' } })
})

test('a provider that is unknown, or can’t hear or speak, is refused', async () => {
  const tenant = await tenantWithSpeech()
  const { id } = await create(tenant)
  for (const [speech, path] of [
    [{ listen: { provider: 'Nobody' } }, 'speech.listen.provider'],
    [{ speak: { provider: 'Nobody' } }, 'speech.speak.provider'],
    [{ listen: { provider: 'Mute' } }, 'speech.listen.provider'],
    [{ speak: { provider: 'Mute' } }, 'speech.speak.provider'],
  ] as const)
    for (const [answer, within] of [
      [await tenant.call('POST', '/agents', newAgent({ speech })), ''],
      [await tenant.call('PATCH', `/agents/${id}`, { draft: { speech } }), 'draft.'],
    ] as const) {
      assert.equal(answer.status, 400, answer.text)
      const [fault] = answer.body.error.details.fields
      assert.deepEqual([fault.path, fault.code], [within + path, 'unknown'], answer.text)
    }
})

test('invalid values are refused', async () => {
  const tenant = await tenantWithSpeech()
  for (const [speech, path] of [
    [null, 'speech'],
    [{ hear: null }, 'speech.hear'],
    [{ listen: {} }, 'speech.listen.provider'],
    [{ listen: { ...listen, voice: 'Ada' } }, 'speech.listen.voice'],
    [{ listen: { ...listen, language: 'english!' } }, 'speech.listen.language'],
    [{ listen: { ...listen, model: 'two words' } }, 'speech.listen.model'],
    [{ speak: { ...speak, speed: 0.49 } }, 'speech.speak.speed'],
    [{ speak: { ...speak, speed: 2.01 } }, 'speech.speak.speed'],
    [{ speak: { ...speak, voice: '../user' } }, 'speech.speak.voice'],
    [{ speak: { ...speak, voice: 'a/b' } }, 'speech.speak.voice'],
  ] as const) {
    const answer = await tenant.call('POST', '/agents', newAgent({ speech }))
    assert.equal(answer.status, 400, JSON.stringify(speech))
    assert.equal(answer.body.error.details.fields[0].path, path)
  }
  await create(tenant, { speak: { ...speak, speed: 0.5, voice: 'af_bella(2)+am_adam' } })
  await create(tenant, { speak: { ...speak, speed: 2 } })
})

test('only models that the operator allows hear and speak at a provider from the environment', async () => {
  const tenant = await configured.workspace()
  const send = (speech: object) => tenant.call('POST', '/agents', newAgent({ speech }))
  assert.equal((await send({ listen: { provider: 'openai' } })).status, 201, 'whisper-1 is the default, and allowed')
  for (const [speech, path] of [
    [{ listen: { provider: 'openai', model: 'other' } }, 'speech.listen.model'],
    [{ speak: { provider: 'openai' } }, 'speech.speak.model'],
  ] as const) {
    const refused = await send(speech)
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.error.details.fields[0].path, path)
  }
})

test('a provider that speech names can be neither deleted nor renamed', async () => {
  const tenant = await tenantWithSpeech()
  const { id: agent_id } = await create(tenant, { listen, speak })
  const providers: { id: string; name: string }[] = (await tenant.call('GET', '/providers')).body.data
  for (const name of ['Ears', 'Mouth']) {
    const path = `/providers/${providers.find((one) => one.name === name)?.id}`
    for (const refused of [await tenant.call('DELETE', path), await tenant.call('PATCH', path, { name: 'Else' })]) {
      assert.equal(refused.status, 409, refused.text)
      assert.deepEqual(refused.body.error.details.used_by, [{ kind: 'agent', id: agent_id }])
    }
  }
  await tenant.call('PATCH', `/agents/${agent_id}`, { speech: offline })
  await tenant.call('POST', `/agents/${agent_id}/versions`, { deploy: true })
  for (const { id, name } of providers)
    assert.equal((await tenant.call('DELETE', `/providers/${id}`)).status, 200, name)
})
