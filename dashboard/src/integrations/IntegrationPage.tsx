import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { FieldMapEditor } from './FieldMapEditor.tsx'
import { IntegrationActions } from './IntegrationActions.tsx'
import { IntegrationStatusBadge } from './IntegrationStatusBadge.tsx'
import { integrationQuery, receiptsQuery } from './integration.ts'
import { Receipts } from './Receipts.tsx'

export function IntegrationPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/integrations/$id' })
  const { data, error, refetch } = useQuery(integrationQuery(api, id))
  const receipts = useQuery(receiptsQuery(api, id))
  const [sample, setSample] = useState<string>()
  const latest = receipts.data?.data.find(({ payload }) => payload !== null)
  return (
    <Page title={data?.name ?? 'Integration'} actions={data && <IntegrationActions integration={data} />}>
      {error && <LoadError error={error} retry={refetch} noun="Integration" />}
      {!data && !error && <LoadingSkeleton />}
      {data && (
        <Stack>
          <Card title="Endpoint" aside={<IntegrationStatusBadge {...data} />}>
            <Stack>
              {data.url === null ? (
                <Text>
                  The URL still works but can’t be shown, because SECRETS_KEY has changed since it was created.
                </Text>
              ) : (
                <>
                  <CopyField label="Webhook URL" value={data.url} copy_label="Copy URL" />
                  <CopyField label="Try it" value={curlCommand(data)} copy_label="Copy command" />
                </>
              )}
            </Stack>
          </Card>
          <Card title="Field mapping">
            <FieldMapEditor
              key={data.id}
              integration={data}
              sample={sample ?? (latest ? JSON.stringify(latest.payload, null, 2) : '')}
              onSample={setSample}
            />
          </Card>
          <Card title="Received" is_flush>
            <Receipts receipts={receipts} onUse={(payload) => setSample(JSON.stringify(payload, null, 2))} />
          </Card>
        </Stack>
      )}
    </Page>
  )
}

/** Puts the phone number where the field map expects it, unless the path needs escaping. */
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
