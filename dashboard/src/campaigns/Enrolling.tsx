import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { type Api, useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { ProgressBar } from '../kit/ProgressBar.tsx'

/**
 * Adding is done when the count has stayed the same for this long: some contacts may be in the campaign already, or
 * were deleted.
 */
const settled_ms = 10_000

/**
 * Holds how many contacts a campaign is expected to have, if some are still added in the background. The forms that add
 * them set it.
 */
export const enrollingQuery = (api: Api, { id }: Pick<Campaign, 'id'>) =>
  queryOptions<number>({
    queryKey: [api.workspace, 'enrolling', id],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })

/** Shows how many contacts were added so far. */
export function Enrolling({ campaign }: { campaign: Campaign }) {
  const { data: expected = 0 } = useQuery(enrollingQuery(useApi(), campaign))
  const { enrolled } = campaign.counts
  const [before] = useDebouncedValue(enrolled, settled_ms)
  if (enrolled >= expected || before === enrolled) return null
  return (
    <ProgressBar
      verb="Adding contacts"
      detail={`${formatNumber(enrolled)} of ${formatNumber(expected)}. You can leave this page.`}
      percent={(100 * enrolled) / expected}
    />
  )
}
