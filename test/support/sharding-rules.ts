import { loadModule, parseSync } from 'libpg-query'

await loadModule()

/** A node of PostgreSQL's parse tree. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has a hundred types of nodes, and each rule reads a few
type Node = any

export interface Catalog {
  /** The tables that are sharded by `workspace_id`. */
  tables: Set<string>
  /** The tables that each node has. */
  reference_tables: Set<string>
  /** The tables that one node has. */
  local_tables: Set<string>
  /** Functions that are not immutable, by name. */
  unstable_functions: Set<string>
  workspaces: Set<unknown>
}

/** What a statement on a sharded database breaks. */
export interface Faults {
  /** Tables that are not filtered by the workspace's value, so that the statement goes to every shard. */
  unfiltered: string[]
  /** What a sharded database refuses. */
  refused: string[]
}

const queries = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']
const writes = ['InsertStmt', 'UpdateStmt', 'DeleteStmt']
/** Functions that tell about one node of the cluster only. */
const of_one_node = /^(pg_(try_)?advisory|pg_current_(snapshot|xact)|pg_snapshot|pg_visible|pg_xact|txid_|pg_notify)/
const times = /^(timestamp|timestamptz|date|time|timetz)$/
/** The tree has no types of columns, so those that hold times are known by their names. */
const time_column = /_(at|until|since)$/

/** Parses the statement with PostgreSQL's own parser and checks the rules of docs/decisions/0021. */
export function faultsOf({ text, values }: { text: string; values: readonly unknown[] }, catalog: Catalog): Faults {
  const tree: Node = parseSync(text)
  const ctes = new Set(find(tree, ['CommonTableExpr']).map(({ ctename }) => ctename))
  const isTable = (relation: Node) => catalog.tables.has(relation.relname) && !ctes.has(relation.relname)
  const isWorkspace = (node: Node) => catalog.workspaces.has(values[withoutCast(node)?.ParamRef?.number - 1])
  const levels = find(tree, queries).flatMap(setOperands)
  const unfiltered = levels.flatMap((query) => unfilteredTables(query, { isTable, isWorkspace }))
  const statements: Node[] = tree.stmts.map(({ stmt }: Node) => stmt)
  const functions = find(tree, ['FuncCall']).map(nameOf)
  const refused = [
    ...find(tree, ['CaseExpr']).flatMap(({ arg }) => (arg ? ['case x when'] : [])),
    ...(find(tree, ['withClause']).some(({ recursive }) => recursive) ? ['a recursive CTE'] : []),
    ...levels.flatMap((query) =>
      query.lockingClause && unfilteredTables(query, { isTable, isWorkspace }).length > 0
        ? ['for update over all workspaces']
        : [],
    ),
    ...levels.flatMap((query) => lockFaults(query, catalog)),
    ...(statements.length > 1 && statements.some(({ VariableSetStmt: set }) => set) ? ['set beside a statement'] : []),
    ...(unfiltered.length > 0 && find(tree, ['RangeFunction']).length > 0 ? ['a function over all workspaces'] : []),
    ...find(tree, ['InsertStmt']).flatMap((insert) => (isPulled(insert, isTable) ? ['rows from no table'] : [])),
    ...(find(tree, writes).length > 1 ? ['a writing CTE beside another write'] : []),
    ...functions.filter((name) => of_one_node.test(name)),
    ...find(tree, writes).flatMap((write) => unstableExpressions(write, catalog)),
    ...find(tree, ['InsertStmt']).flatMap((insert) => conflictParameters(insert)),
  ]
  return { unfiltered: [...new Set(unfiltered)], refused: [...new Set(refused)] }
}

/** All nodes of these types in the tree. */
function find(tree: Node, types: string[], found: Node[] = []): Node[] {
  if (typeof tree !== 'object' || tree === null) return found
  for (const name of Object.keys(tree)) {
    if (types.includes(name)) found.push(tree[name])
    find(tree[name], types, found)
  }
  return found
}

/** The parser doesn't name the type of the sides of a `union`. */
const setOperands = (query: Node): Node[] =>
  query.larg ? [...setOperands(query.larg), ...setOperands(query.rarg)] : [query]

interface Level {
  isTable: (relation: Node) => boolean
  isWorkspace: (node: Node) => boolean
}

/** The tables that this query names in its own clauses, without its subqueries, and does not filter. */
function unfilteredTables(query: Node, { isTable, isWorkspace }: Level): string[] {
  const items: Node[] = [...(query.fromClause ?? []), ...(query.usingClause ?? [])].flatMap(joinOperands)
  // An insert is filtered by what it writes into the column.
  const target = query.cols || query.onConflictClause ? undefined : query.relation
  const tables = [target, ...items.map(({ RangeVar }) => RangeVar)].filter((one) => one && isTable(one))
  const conditions = [query.whereClause, ...items.map(({ condition }) => condition)].flatMap(conjuncts)
  const filtered = conditions.flatMap(({ A_Expr: expression }) => {
    if (expression?.kind !== 'AEXPR_OP' || expression.name[0].String.sval !== '=') return []
    const { lexpr, rexpr } = expression
    const column = columnOf(isWorkspace(rexpr) ? lexpr : isWorkspace(lexpr) ? rexpr : undefined)
    if (column.at(-1) !== 'workspace_id') return []
    return column.length > 1 ? column[0] : tables.length === 1 ? aliasOf(tables[0]) : []
  })
  const unfiltered = tables.filter((table) => !filtered.includes(aliasOf(table))).map(({ relname }) => relname)
  const inserted =
    query.relation && !target && isTable(query.relation) && !writesWorkspace(query, { isTable, isWorkspace })
  return inserted ? [...unfiltered, query.relation.relname] : unfiltered
}

/** Whether each row that the insert writes has the workspace's value, or that of a table which is filtered by it. */
function writesWorkspace({ cols, selectStmt }: Node, level: Level): boolean {
  const index = cols.findIndex(({ ResTarget }: Node) => ResTarget.name === 'workspace_id')
  const { valuesLists, targetList } = selectStmt.SelectStmt
  if (valuesLists) return valuesLists.every(({ List }: Node) => level.isWorkspace(List.items[index]))
  const { val } = targetList[index].ResTarget
  if (level.isWorkspace(val)) return true
  return columnOf(val).at(-1) === 'workspace_id' && unfilteredTables(selectStmt.SelectStmt, level).length === 0
}

/** Whether the insert selects its workspace from no sharded table: its rows then pass through the coordinator. */
function isPulled({ relation, cols, selectStmt }: Node, isTable: Level['isTable']): boolean {
  if (!isTable(relation) || !selectStmt || selectStmt.SelectStmt.valuesLists) return false
  const index = cols.findIndex(({ ResTarget }: Node) => ResTarget.name === 'workspace_id')
  return columnOf(selectStmt.SelectStmt.targetList[index].ResTarget.val).at(-1) !== 'workspace_id'
}

/** A lock on a row of a table that each node has locks the table on all of them. */
function lockFaults(query: Node, { tables, reference_tables, local_tables }: Catalog): string[] {
  if (!query.lockingClause) return []
  const names: string[] = find(query.fromClause, ['RangeVar']).map(({ relname }) => relname)
  const isOf = (table_class: Set<string>) => names.some((name) => table_class.has(name))
  if (isOf(reference_tables)) return ['a lock beside a reference table']
  return isOf(tables) && isOf(local_tables) ? ['a lock beside a local table'] : []
}

/** The tables of a join, each join with its condition. */
const joinOperands = (item: Node): Node[] =>
  item.JoinExpr
    ? [{ condition: item.JoinExpr.quals }, ...[item.JoinExpr.larg, item.JoinExpr.rarg].flatMap(joinOperands)]
    : [item]

const conjuncts = (condition: Node): Node[] => {
  if (!condition) return []
  return condition.BoolExpr?.boolop === 'AND_EXPR' ? condition.BoolExpr.args.flatMap(conjuncts) : [condition]
}

const withoutCast = (node: Node): Node => (node?.TypeCast ? withoutCast(node.TypeCast.arg) : node)
const aliasOf = ({ alias, relname }: Node): string => alias?.aliasname ?? relname
const columnOf = (node: Node): string[] =>
  (node?.ColumnRef?.fields ?? []).map(({ String: name }: Node) => name?.sval ?? '*')
const nameOf = ({ funcname }: Node): string => funcname.at(-1).String.sval
const typeOf = ({ typeName }: Node): string => typeName.names.at(-1).String.sval
/** `at time zone 'UTC'` makes the rest independent of settings. */
const isAtTimeZone = (call: Node): boolean => nameOf(call) === 'timezone'
const hasColumn = (node: Node): boolean => find(node, ['ColumnRef']).length > 0
const hasTimeColumn = (node: Node): boolean =>
  find(node, ['ColumnRef']).some(({ fields }) => time_column.test(fields.at(-1).String?.sval ?? ''))

/** Functions, casts and operators over columns whose result depends on settings, such as the time zone. */
function unstableExpressions(write: Node, { unstable_functions }: Catalog): string[] {
  const calls = find(write, ['FuncCall']).filter(
    (call) => unstable_functions.has(nameOf(call)) && hasColumn(call.args) && !isAtTimeZone(call),
  )
  const casts = find(write, ['TypeCast']).filter(
    (cast) => (times.test(typeOf(cast)) && hasColumn(cast.arg)) || (typeOf(cast) === 'text' && hasTimeColumn(cast.arg)),
  )
  const sums = find(write, ['A_Expr']).filter(
    (expression) =>
      [expression.lexpr, expression.rexpr].some((side) => side?.TypeCast && typeOf(side.TypeCast) === 'interval') &&
      hasColumn(expression) &&
      !find(expression, ['FuncCall']).some(isAtTimeZone),
  )
  return [
    ...calls.map((call) => `${nameOf(call)}(column)`),
    ...casts.map((cast) => `column::${typeOf(cast)}`),
    ...sums.map(() => 'column + interval'),
    ...(find(write, ['SQLValueFunction']).length > 0 ? ['current_timestamp'] : []),
    ...find(write, ['FuncCall']).flatMap((call) => (nameOf(call) === 'now' ? ['now()'] : [])),
  ]
}

/** A parameter in `on conflict where` has no type when the insert selects its rows. */
function conflictParameters({ selectStmt, onConflictClause }: Node): string[] {
  const selects = selectStmt && !selectStmt.SelectStmt.valuesLists
  const clause = [onConflictClause?.whereClause, onConflictClause?.infer?.whereClause]
  return selects && find(clause, ['ParamRef']).length > 0 ? ['a parameter in on conflict where'] : []
}
