import { addFakeSpeech } from '../fake-speech.ts'
import type { Server } from '../harness.ts'
import { replayConversations, testAgents } from './agent-tests.ts'
import { advanceTestClock, sendWebhooks, workInBackground } from './background.ts'
import { deleteWhileStored, driveCalls, placeCalls, talkByPhone, talkInBrowser } from './calls.ts'
import { dialCampaigns, runCampaigns } from './campaigns.ts'
import { runCommands } from './commands.ts'
import { changeContacts, importContacts, listContacts, receiveMessages, recordConsents } from './contacts.ts'
import { chatOnPage, talk, textBySms, textSimulatedPeople, workOnChannels } from './conversations.ts'
import { lookUp } from './documents.ts'
import { erasePersons } from './erasures.ts'
import { getInTwoWorkspaces } from './gets.ts'
import { callOperations } from './operations.ts'
import { setUpFirstPerson, visitDashboard } from './people.ts'

/** Makes the server send each of its statements at least once. */
export async function sendEverything(server: Server): Promise<void> {
  addFakeSpeech(server)
  await setUpFirstPerson(server)
  await callOperations(server)
  await getInTwoWorkspaces(server)
  await listContacts(server)
  await changeContacts(server)
  await importContacts(server)
  await receiveMessages(server)
  await sendWebhooks(server)
  await recordConsents(server)
  await testAgents(server)
  await replayConversations(server)
  await talk(server)
  await lookUp(server)
  await textBySms(server)
  await deleteWhileStored(server)
  await textSimulatedPeople(server)
  await placeCalls(server)
  await driveCalls(server)
  await talkInBrowser(server)
  await talkByPhone(server)
  await workOnChannels(server)
  await runCampaigns(server)
  await dialCampaigns(server)
  await chatOnPage(server)
  await advanceTestClock(server)
  await visitDashboard(server)
  await runCommands(server)
  await erasePersons(server)
  await workInBackground(server)
}
