import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOwner, skip } from '../support/dashboard.ts'
import { weighPage } from '../support/page-weight.ts'

const { context, address, workspace, send } = await openOwner()

const weight_max_bytes = 250_000

/** `npm run bench -- --dashboard` prints the parts. */
test('the first page stays below 250 kB, with names in several scripts', { skip }, async () => {
  for (const [index, last_name] of ['Wałęsa', 'Nguyễn', 'Иванова'].entries())
    await send('POST', '/contacts', { phone_number: `+1415555010${index}`, first_name: 'Zoë', last_name })
  for (const path of ['', '/contacts']) {
    const weight = await weighPage(context, `${address}/w/${workspace.id}${path}`)
    assert.ok(
      weight.fonts > 20_000 && weight.js > 100_000,
      `counts all of ${path || 'home'}: ${JSON.stringify(weight)}`,
    )
    assert.ok(weight.total < weight_max_bytes, `${path || 'home'}: ${JSON.stringify(weight)}`)
  }
})
