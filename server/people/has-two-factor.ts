import { type Sql, sql } from '../kit/postgres/sql.ts'

/** An SQL expression: whether the person signs in with two factors. Qualify the column with the id. */
export const hasTwoFactor = (person_id: Sql): Sql =>
  sql`exists (select from two_factor_secrets as two_factor
    where two_factor.person_id = ${person_id} and two_factor.confirmed_at is not null)`
