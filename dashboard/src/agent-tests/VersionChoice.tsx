import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { agentQuery } from '../agents/draft.ts'
import { versionsQuery } from '../agents/versions.ts'
import { useApi } from '../kit/api.ts'
import { draft_choice } from './useStartRun.ts'

interface VersionChoiceProps {
  agent_id: string
  label: string
  /** Whether only screen readers get the label. */
  is_label_hidden?: boolean
  value: string
  onChange: (value: string) => void
}

/** Chooses what is tested: the draft, or a version. */
export function VersionChoice({ agent_id, label, is_label_hidden = false, value, onChange }: VersionChoiceProps) {
  const api = useApi()
  const { data: versions } = useQuery(versionsQuery(api, agent_id))
  const { data: agent } = useQuery(agentQuery(api, agent_id))
  const live = agent?.data.deployed_version.id
  return (
    <Select
      {...(is_label_hidden ? { 'aria-label': label, w: 130 } : { label })}
      data={[
        { value: draft_choice, label: 'Draft' },
        ...(versions?.data.map(({ id, version_label }) => ({
          value: id,
          label: id === live ? `${version_label}, live` : version_label,
        })) ?? []),
      ]}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => chosen && onChange(chosen)}
    />
  )
}
