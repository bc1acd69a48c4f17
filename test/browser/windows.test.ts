import { test } from 'node:test'
import { openInPage, openOwner, skip } from '../support/dashboard.ts'

/** A browser allows six connections to a server, for all of its windows. */

const owner = await openOwner()
const { page, context, address, workspace, send } = owner
const windows = [page]
const inEach = (see: (one: typeof page) => Promise<unknown>) => Promise.all(windows.map(see))

test('six windows load, and each shows what is changed elsewhere', { skip }, async () => {
  while (windows.length < 6) windows.push(await context.newPage())
  await inEach((one) => one.goto(`${address}/w/${workspace.id}/contacts`))
  await inEach((one) => one.getByText('No contacts yet').waitFor())
  await send('POST', '/contacts', { phone_number: '+14155550101', first_name: 'Grace' })
  await inEach((one) => one.getByRole('table').getByText('Grace', { exact: true }).waitFor())
})

test('each window shows what is said in the conversation that is open in all of them', { skip }, async () => {
  const agent = await send('POST', '/agents', { name: 'Reception', instructions: 'Greet the caller.' })
  const { id } = await send('POST', '/conversations', { agent_id: agent.id })
  await inEach((one) => openInPage(one, `/conversations/${id}`))
  const transcript = (one: typeof page) => one.getByRole('region', { name: 'Transcript' })
  await inEach((one) => transcript(one).waitFor())
  await send('POST', `/conversations/${id}/messages`, { text: 'Is anybody there?' })
  await inEach((one) => transcript(one).getByText('Is anybody there?').waitFor())
})

test('when the window that reads the events closes, another one goes on', { skip }, async () => {
  await inEach((one) => openInPage(one, '/contacts'))
  await inEach((one) => one.getByRole('table').getByText('Grace', { exact: true }).waitFor())
  // Any of them may be the one.
  while (windows.length > 1) {
    await windows.pop()?.close()
    const first_name = `Linus ${windows.length}`
    await send('POST', '/contacts', { phone_number: `+1415555020${windows.length}`, first_name })
    await inEach((one) => one.getByRole('table').getByText(first_name, { exact: true }).waitFor())
  }
})
