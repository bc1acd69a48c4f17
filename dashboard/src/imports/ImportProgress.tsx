import type { Import } from '../../../server/imports/schema.ts'
import { formatNumber } from '../kit/format.ts'
import { ProgressBar } from '../kit/ProgressBar.tsx'

export function ImportProgress({ import: { total, done }, verb }: { import: Import; verb: string }) {
  const detail = total
    ? `${formatNumber(done)} of ${formatNumber(total)} rows`
    : done > 0
      ? `${formatNumber(done)} rows`
      : ''
  return <ProgressBar verb={verb} detail={detail} percent={total ? Math.round((100 * done) / total) : undefined} />
}
