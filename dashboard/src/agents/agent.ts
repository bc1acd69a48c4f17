export interface Agent {
  id: string
  name: string
  description: string
  instructions: string | null
  deployed_version: { id: string; version_label: string }
  created_at: string
  updated_at: string
}

export interface AgentVersion {
  id: string
  version_label: string
  instructions: string | null
  created_at: string
}
