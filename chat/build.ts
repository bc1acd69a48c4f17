import { newPageBuild } from '../voice/build-page.ts'

/** `node chat/build.ts FOLDER` builds the page of web chats and the script that puts it on other pages. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node chat/build.ts FOLDER')

const { buildPage, buildScript } = newPageBuild(import.meta.dirname, folder)
// Other pages load the script, so it is an IIFE, which adds no global names.
await Promise.all([buildPage(), buildScript('widget', { formats: ['iife'], name: 'chat_widget' })])
