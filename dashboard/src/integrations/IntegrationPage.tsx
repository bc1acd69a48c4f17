import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { Secret } from '../kit/CopyField.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { Failure, Waiting } from '../kit/states.tsx'
import { MapEditor } from './FieldMapEditor.tsx'
import { Actions } from './IntegrationActions.tsx'
import { IntegrationStatusBadge } from './IntegrationStatusBadge.tsx'
import { integrationQuery, receiptsQuery } from './integration.ts'
import { Receipts } from './Receipts.tsx'

/** Its address, what goes where, and what arrived. */
export function OneIntegration() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/integrations/$id' })
  const { data, error, refetch } = useQuery(integrationQuery(api, id))
  const receipts = useQuery(receiptsQuery(api, id))
  const [sample, setSample] = useState<string>()
  const latest = receipts.data?.data.find(({ payload }) => payload !== null)
  return (
    <Page
      title={data?.name ?? 'Integration'}
      about={
        <Anchor
          renderRoot={(props) => (
            <Link to="/w/$workspace/integrations" params={{ workspace: api.workspace }} {...props} />
          )}
        >
          All integrations
        </Anchor>
      }
      actions={data && <Actions integration={data} />}
    >
      {error && <Failure error={error} retry={refetch} noun="Integration" />}
      {!data && !error && <Waiting />}
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
                  <Secret label="Webhook URL" value={data.url} copy="Copy URL" />
                  <Secret label="Try it" value={curlOf(data)} copy="Copy command" />
                </>
              )}
            </Stack>
          </Card>
          <Card title="Field mapping">
            <MapEditor
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

/** With the value where the field map looks for the number, when that is plain. */
function curlOf({ url, field_map }: Integration): string {
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
