/** Renders the audio that is given as JSON into a folder, and prints the SHA-256 of the file. */
import { createHash } from 'node:crypto'
import { openRenderer } from '../../server/lines/simulator/render/renderer.ts'

const [folder = '', audio = ''] = process.argv.slice(2)
const hash = createHash('sha256')
// A thread alone doesn't keep the process running.
const alive = setInterval(() => {}, 1_000)
await openRenderer({ folder }).render(JSON.parse(audio), async ({ stream }) => {
  for await (const chunk of stream) hash.update(chunk)
})
clearInterval(alive)
console.log(hash.digest('hex'))
