import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import styles from '../kit/facts.module.css'
import { Page } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { Tabs } from '../kit/Tabs.tsx'
import { FieldMapEditor } from './FieldMapEditor.tsx'
import { IntegrationActions } from './IntegrationActions.tsx'
import { IntegrationStatusBadge } from './IntegrationStatusBadge.tsx'
import { integrationQuery, receiptsQuery } from './integration.ts'
import { Receipts } from './Receipts.tsx'

const tabs = [
  { to: '/w/$workspace/integrations/$id', name: 'Received' },
  { to: '/w/$workspace/integrations/$id/mapping', name: 'Field mapping' },
] as const

export const IntegrationPage = () => (
  <IntegrationTab>{(integration) => <Receipts integration={integration} />}</IntegrationTab>
)

export const FieldMappingPage = () => (
  <IntegrationTab>{(integration) => <FieldMapping key={integration.id} integration={integration} />}</IntegrationTab>
)

function IntegrationTab({ children }: { children: (integration: Integration) => ReactNode }) {
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(integrationQuery(useApi(), id))
  return (
    <Page
      title={data?.name ?? 'Integration'}
      description={data && <Facts integration={data} />}
      actions={data && <IntegrationActions integration={data} />}
      tabs={data && <Tabs label="Integration" tabs={tabs} />}
    >
      {data && children(data)}
      {!data && (error ? <LoadError error={error} retry={refetch} noun="Integration" /> : <LoadingSkeleton />)}
    </Page>
  )
}

/** Shows status, address and signing on one line. */
function Facts({ integration }: { integration: Integration }) {
  const { url, is_signed } = integration
  return (
    <ul className={styles.facts} aria-label="Integration">
      <li>
        <IntegrationStatusBadge {...integration} />
      </li>
      {url === null ? (
        <li>The URL still works but can’t be shown, because SECRETS_KEY has changed since it was created.</li>
      ) : (
        <>
          <li className={styles.url}>
            <code title={url}>{url}</code>
            <CopyButton value={url} label="Copy URL" />
          </li>
          <li>
            <CopyButton value={curlCommand(integration)} label="Copy test command" />
          </li>
        </>
      )}
      {is_signed && <li>Signed requests only</li>}
    </ul>
  )
}

/** Edits the field map. The sample is the request that was chosen, or else the latest one. */
function FieldMapping({ integration }: { integration: Integration }) {
  const { receipt: chosen } = useSearch({ from: '/w/$workspace/integrations/$id/mapping' })
  const { data } = useQuery(receiptsQuery(useApi(), integration.id))
  const [typed, setTyped] = useState<string>()
  const stored = data?.data.filter(({ payload }) => payload !== null)
  const received = stored?.find(({ id }) => id === chosen) ?? stored?.[0]
  return (
    <FieldMapEditor
      integration={integration}
      sample={typed ?? (received ? JSON.stringify(received.payload, null, 2) : '')}
      onSample={setTyped}
    />
  )
}

/**
 * Writes a request for the command line. The phone number is where the field map expects it, unless the path needs
 * escaping.
 */
function curlCommand({ url, field_map }: Integration): string {
  const names = String(field_map.phone_number ?? '/phone')
    .split('/')
    .slice(1)
  const is_plain = names.every((name) => /^[A-Za-z_]\w*$/.test(name))
  const payload = (is_plain ? names : ['phone']).reduceRight<unknown>(
    (inner, name) => ({ [name]: inner }),
    '+14155550100',
  )
  return `curl -H 'Content-Type: application/json' -d '${JSON.stringify(payload)}' ${url}`
}
