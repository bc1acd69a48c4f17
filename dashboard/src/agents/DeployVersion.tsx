import { Button, NumberInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, AgentVersion } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { showError, showToast } from '../kit/toast.ts'
import styles from './agents.module.css'
import { useRefreshAgents } from './useRefreshAgents.ts'

export function DeployVersion({ agent, version }: { agent: Agent; version: AgentVersion }) {
  const api = useApi()
  const refresh = useRefreshAgents()
  const [percent, setPercent] = useState<number | string>(100)
  const deploying = useMutation({
    mutationFn: () => api.send('POST', `/agents/${agent.id}/deploy`, { version_id: version.id, percent }),
    onError: showError,
    onSuccess: () => {
      showToast(`${version.version_label} is in use.`)
      return refresh()
    },
  })
  return (
    <form
      className={styles.deploy}
      onSubmit={(event) => {
        event.preventDefault()
        deploying.mutate()
      }}
    >
      <NumberInput
        label="Percent of people"
        value={percent}
        onChange={setPercent}
        min={1}
        max={100}
        allowDecimal={false}
      />
      <Button type="submit" loading={deploying.isPending}>
        Deploy {version.version_label}
      </Button>
    </form>
  )
}
