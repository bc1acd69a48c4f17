import { Tabs } from '../kit/Tabs.tsx'

const tabs = [
  { to: '/w/$workspace/agents/$id', name: 'Editor' },
  { to: '/w/$workspace/agents/$id/tests', name: 'Tests' },
  { to: '/w/$workspace/agents/$id/runs', name: 'Test runs' },
] as const

/** The pages of an agent. */
export const AgentTabs = () => <Tabs label="Agent" tabs={tabs} />
