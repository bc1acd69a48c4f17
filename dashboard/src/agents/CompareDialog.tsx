import { Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentVersion, AgentWithDraft, Difference } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { versionsQuery } from './Versions.tsx'

interface CompareDialogProps {
  agent: AgentWithDraft
  is_open: boolean
  onClose: () => void
}

export const CompareDialog = ({ agent, is_open, onClose }: CompareDialogProps) => (
  <Modal opened={is_open} onClose={onClose} title="Compare with the draft" size="xl">
    <Comparison agent={agent} />
  </Modal>
)

function Comparison({ agent }: { agent: AgentWithDraft }) {
  const api = useApi()
  const [version_id, setVersionId] = useState(agent.deployed_version.id)
  const versions = useQuery(versionsQuery(api, agent.id))
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'agents', agent.id, 'difference', version_id, agent.updated_at],
    queryFn: ({ signal }) =>
      api.get<Difference>(`/agents/${agent.id}/versions/${version_id}/diff`, { against: 'draft' }, signal),
  })
  const labelOf = ({ id, version_label }: AgentVersion) =>
    id === agent.deployed_version.id ? `${version_label}, deployed` : version_label
  return (
    <>
      <Select
        label="Version"
        data={versions.data?.data.map((version) => ({ value: version.id, label: labelOf(version) })) ?? []}
        value={version_id}
        allowDeselect={false}
        onChange={(chosen) => chosen && setVersionId(chosen)}
        mb="lg"
      />
      {error && <LoadError error={error} retry={refetch} />}
      {!data && !error && <LoadingSkeleton lines={4} />}
      {data && <Changes difference={data} />}
    </>
  )
}

function Changes({ difference: { fields, instructions, script } }: { difference: Difference }) {
  if (fields.length + instructions.length + script.length === 0) return <p className={styles.hint}>No differences.</p>
  return (
    <div className={styles.changes}>
      {instructions.length > 0 && (
        <section aria-label="Instructions">
          <h3 className={styles.sideTitle}>Instructions</h3>
          <div className={styles.lines}>
            {instructions.map(({ change, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name
              <pre key={index} data-change={change}>
                {change !== 'same' && <span className={styles.visuallyHidden}>{change}: </span>}
                {text.replace(/\n$/, '')}
              </pre>
            ))}
          </div>
        </section>
      )}
      {fields.map(({ path, before, after }) => (
        <Sides key={path} name={path} before={before} after={after} />
      ))}
      {script.map(({ node, before, after }) => (
        <Sides key={node} name={`Script node ${node}`} before={before} after={after} />
      ))}
    </div>
  )
}

const Sides = ({ name, before, after }: { name: string; before: unknown; after: unknown }) => (
  <div className={styles.sides}>
    <div>
      <h3 className={styles.sideTitle}>{name}: version</h3>
      <JsonBlock label={`${name}: version`} value={before ?? null} />
    </div>
    <div>
      <h3 className={styles.sideTitle}>{name}: draft</h3>
      <JsonBlock label={`${name}: draft`} value={after ?? null} />
    </div>
  </div>
)
