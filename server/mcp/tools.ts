/** A tool of the MCP server is an operation of the API under a name that assistants understand. */
export interface McpTool {
  name: string
  /** The id of the operation. Its scope, schemas and limits are those of the tool. */
  operation: string
  description: string
  /** Parameters of the query or fields of the body that assistants don't need. */
  without?: string[]
  /** Parameters of the query that are always the same. */
  fixed?: Record<string, string>
  /** Whether the tool reaches people. */
  is_open_world?: boolean
}

/** Assistants get worse when they have to choose among more. */
export const tools_max = 25

/** To offer another operation, add it here. */
export const tools: McpTool[] = [
  {
    name: 'get_overview',
    operation: 'overview.get',
    description: 'Returns how many contacts there are, and what happened last. A good first step.',
  },
  {
    name: 'find_contacts',
    operation: 'contacts.list',
    description:
      'Finds contacts by words (name, email, company, digits of the phone number) or by filters. Without any, the newest.',
  },
  { name: 'get_contact', operation: 'contacts.get', description: 'Returns a contact by its id.' },
  {
    name: 'upsert_contact',
    operation: 'contacts.upsert',
    description:
      'Creates the contact with this phone number, or changes the fields that are given. Phone numbers are in the format +15551234567.',
  },
  { name: 'list_agents', operation: 'agents.list', description: 'Lists the agents, newest first.' },
  {
    name: 'get_agent',
    operation: 'agents.get',
    description:
      'Returns an agent with its instructions, its deployed version and its draft: the whole configuration that the next version would have.',
  },
  {
    name: 'list_agent_versions',
    operation: 'agents.list_versions',
    description: 'Lists the published versions of an agent, newest first.',
  },
  {
    name: 'compare_agent_versions',
    operation: 'agents.compare_versions',
    description: 'Returns what differs between a version of an agent and another one, or the draft.',
  },
  {
    name: 'run_agent_tests',
    operation: 'test_runs.create',
    description:
      'Runs the tests of an agent in the background, on its draft with `use_draft`, or else on a version. Nobody is called or written to. ' +
      'Then read the run with get_test_run until its status is `completed`.',
  },
  {
    name: 'get_test_run',
    operation: 'test_runs.get',
    description:
      'Returns how far a run of tests is, and what failed: each with a sentence and the line at which it shows.',
    without: ['format'],
    fixed: { format: 'json' },
  },
  {
    name: 'publish_agent',
    operation: 'agents.publish',
    description:
      'Publishes the draft of an agent as its next version. With `deploy`, people reach that version at once: ask the user first.',
    is_open_world: true,
  },
  {
    name: 'deploy_agent',
    operation: 'agents.deploy',
    description:
      'Deploys a version of an agent: for all, or with `percent` for some people beside the deployed one. Ask the user first.',
    is_open_world: true,
  },
  {
    name: 'roll_back_agent',
    operation: 'agents.rollback',
    description: 'Deploys the version of an agent that was deployed before the current one. Ask the user first.',
    is_open_world: true,
  },
  {
    name: 'list_conversations',
    operation: 'conversations.list',
    description: 'Lists conversations by text and voice, newest first, with filters such as agent, contact and status.',
  },
  {
    name: 'get_conversation',
    operation: 'conversations.get',
    description: 'Returns the state of a conversation: its agent, contact, status, results and summary.',
  },
  {
    name: 'read_conversation',
    operation: 'conversations.list_turns',
    description: 'Returns what was said in a conversation, with the tools that the agent called.',
    without: ['wait_ms'],
  },
  {
    name: 'list_calls',
    operation: 'calls.list',
    description: 'Lists calls, newest first. With `search`, those in which these words were said.',
  },
  {
    name: 'get_call',
    operation: 'calls.get',
    description: 'Returns a call: its status, outcome, times and costs, and why it failed if it did.',
  },
  {
    name: 'list_call_events',
    operation: 'calls.list_events',
    description: 'Returns what happened on the line of a call, step by step.',
  },
  {
    name: 'get_call_transcript',
    operation: 'calls.get_transcript',
    description: 'Returns what was said in a call as text.',
    without: ['format'],
    fixed: { format: 'txt' },
  },
  {
    name: 'place_call',
    operation: 'calls.create',
    description:
      'Lets an agent call a contact or a phone number now. A real person is called in a live workspace: ask the user first.',
    is_open_world: true,
  },
  { name: 'list_campaigns', operation: 'campaigns.list', description: 'Lists campaigns, newest first.' },
  {
    name: 'get_campaign_progress',
    operation: 'campaigns.get_progress',
    description: 'Returns how far a campaign is: contacts by status and attempts by outcome.',
  },
  {
    name: 'forecast_campaign',
    operation: 'campaigns.forecast',
    description: 'Simulates a campaign: when it would end and how many contacts it would reach. Changes nothing.',
  },
  {
    name: 'search_documents',
    operation: 'documents.search',
    description: 'Returns the passages of documents that an agent would find for a question.',
  },
]
