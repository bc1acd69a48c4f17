import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, AgentVersion } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { CodeBlock, JsonBlock } from '../kit/CodeBlock.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { Changes } from './Changes.tsx'
import { authorName, differenceQuery, versionQuery } from './versions.ts'

interface VersionProps {
  agent: Agent
  version: AgentVersion
  /** All versions, newest first. */
  versions: AgentVersion[]
}

interface VersionDrawerProps extends Omit<VersionProps, 'version'> {
  version: AgentVersion | undefined
  onClose: () => void
}

/** Shows one version to read and to compare. Nothing in it changes the agent. */
export const VersionDrawer = ({ version, onClose, ...props }: VersionDrawerProps) => (
  <Drawer
    is_open={version !== undefined}
    label="Version"
    title={version && `Version ${version.version_label}`}
    onClose={onClose}
  >
    {version && <Version key={version.id} version={version} {...props} />}
  </Drawer>
)

function Version(props: VersionProps) {
  const { version } = props
  const [view, setView] = useState('changes')
  return (
    <div className={styles.form}>
      <p className={styles.hint}>
        {authorName(version.created_by)} · <RelativeTime time={version.created_at} />
      </p>
      {version.note && <p className={styles.note}>{version.note}</p>}
      <SegmentedControl
        size="sm"
        aria-label="Changes or configuration"
        data={[
          { value: 'changes', label: 'Changes' },
          { value: 'configuration', label: 'Configuration' },
        ]}
        value={view}
        onChange={setView}
      />
      {view === 'changes' ? <Comparison {...props} /> : <VersionConfiguration {...props} />}
    </div>
  )
}

/** Compares versions. At first it shows what changed since the version before. */
function Comparison({ agent, version, versions }: VersionProps) {
  const api = useApi()
  const index = versions.findIndex(({ id }) => id === version.id)
  const [other, setOther] = useState(versions[index + 1]?.id ?? 'draft')
  const is_older = versions.findIndex(({ id }) => id === other) > index
  const sides = is_older ? { from: other, to: version.id } : { from: version.id, to: other }
  const { data, error, refetch } = useQuery(differenceQuery(api, agent, sides))
  const labelOf = ({ id, version_label }: AgentVersion) =>
    id === agent.deployed_version.id ? `${version_label}, live` : version_label
  return (
    <>
      <Select
        label="Compare with"
        data={[
          { value: 'draft', label: 'Draft' },
          ...versions.filter(({ id }) => id !== version.id).map((one) => ({ value: one.id, label: labelOf(one) })),
        ]}
        value={other}
        allowDeselect={false}
        onChange={(chosen) => chosen && setOther(chosen)}
      />
      {error && !data && <LoadError error={error} retry={refetch} />}
      {!data && !error && <LoadingSkeleton lines={4} />}
      {data && <Changes difference={data} />}
    </>
  )
}

function VersionConfiguration({ agent, version }: VersionProps) {
  const { data, error, refetch } = useQuery(versionQuery(useApi(), agent.id, version.id))
  if (error && !data) return <LoadError error={error} retry={refetch} />
  if (!data) return <LoadingSkeleton lines={6} />
  const { instructions, script, ...settings } = data.configuration
  return (
    <>
      {instructions && <CodeBlock label="Instructions" text={instructions} />}
      {script && <JsonBlock label="Script" value={script} />}
      <JsonBlock label="Settings" value={settings} />
    </>
  )
}
