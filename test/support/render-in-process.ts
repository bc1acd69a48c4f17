/** Renders each audio of a list that is given as JSON, and prints the SHA-256 of its file. */
import { createHash } from 'node:crypto'
import { openRenderer } from '../../server/lines/simulator/render/renderer.ts'

const [folder = '', audios = ''] = process.argv.slice(2)
// A thread alone doesn't keep the process running.
const alive = setInterval(() => {}, 1_000)
const renderer = openRenderer({ folder })
for (const audio of JSON.parse(audios)) {
  const hash = createHash('sha256')
  await renderer.render(audio, async ({ stream }) => {
    for await (const chunk of stream) hash.update(chunk)
  })
  console.log(hash.digest('hex'))
}
clearInterval(alive)
