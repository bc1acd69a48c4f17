import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import * as enrolling from './enrolling.ts'
import { Enrolled, NewEnrollments } from './enrolling-schema.ts'
import * as enrollments from './enrollments.ts'
import { explainEnrollment } from './explain.ts'
import { ExplainQuery, Explanation } from './explain-schema.ts'
import * as schema from './schema.ts'

const of_campaign = '/campaigns/:id/enrollments'
const path = '/enrollments/:id'
const read = 'campaigns:read'
const write = 'campaigns:write'

export const operations: operation.Operation[] = [
  operation.write({
    id: 'enrollments.create',
    method: 'POST',
    path: of_campaign,
    scope: write,
    is_audited: false,
    summary: 'Enroll contacts',
    description:
      'Adds contacts by their ids, with variables for each, or all that match a filter: send exactly one of `contact_ids`, ' +
      '`contacts` and `filter`. Up to 1,000 are enrolled at once (201). Of more, the first 1,000 are, and the rest follows in ' +
      'the background (202). A contact is in a campaign once. A campaign can have 1,000,000 contacts: a request that finds no room ' +
      'is refused (409), and those left out in the background are `not_enrolled` in the progress of the campaign.',
    params: ById,
    body: NewEnrollments,
    errors: ['INVALID_STATE'],
    response: Enrolled,
    status: 201,
    isAccepted: ({ is_complete }: { is_complete: boolean }) => !is_complete,
    collection: of_campaign,
    run: (at, { params, body }) => enrolling.create(at, { campaign_id: params.id, input: body }),
  }),
  operation.list({
    id: 'enrollments.list',
    path: of_campaign,
    scope: read,
    summary: 'List the enrollments of a campaign',
    description: 'Newest first.',
    params: ById,
    query: schema.EnrollmentQuery,
    items: schema.Enrollment,
    run: (at, { params, query }) => enrollments.list(at, { campaign_id: params.id, query }),
  }),
  operation.list({
    id: 'enrollments.list_of_contact',
    path: '/contacts/:id/enrollments',
    scope: read,
    summary: 'List the enrollments of a contact',
    description: 'Newest first.',
    params: ById,
    query: page.query({}),
    items: schema.Enrollment,
    run: (at, { params, query }) => enrollments.listOfContact(at, { contact_id: params.id, query }),
  }),
  operation.get({
    id: 'enrollments.get',
    path,
    scope: read,
    summary: 'Get an enrollment',
    params: ById,
    response: schema.Enrollment,
    run: (at, { params }) => enrollments.get(at, params.id),
  }),
  operation.get({
    id: 'enrollments.explain',
    path: `${path}/explain`,
    scope: read,
    summary: 'Explain an enrollment',
    description:
      'Says what the dialer would do with the contact, and why: every rule with its verdict. At a later time: if nothing else ' +
      'happens until then.',
    params: ById,
    query: ExplainQuery,
    response: Explanation,
    run: (at, { params, query }) => explainEnrollment(at, { id: params.id, time: query.at }),
  }),
  operation.write({
    id: 'enrollments.delete',
    method: 'DELETE',
    path,
    scope: write,
    summary: 'Delete an enrollment',
    description:
      "Takes the contact out of the campaign. Not while an attempt is in progress. The contact's calls stay.",
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    run: (at, { params, isCurrent }) => enrollments.remove(at, { id: params.id, isCurrent }),
  }),
  operation.write({
    id: 'enrollments.retry',
    method: 'POST',
    path: `${path}/retry`,
    scope: write,
    is_audited: false,
    summary: 'Retry an enrollment',
    description:
      'Tries a contact again that is done, as if it had just been enrolled: `attempts` begins at 0. Consent, quiet hours and ' +
      'caps still hold.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Enrollment,
    run: (at, { params }) => enrollments.retry(at, params.id),
  }),
  operation.write({
    id: 'enrollments.skip',
    method: 'POST',
    path: `${path}/skip`,
    scope: write,
    is_audited: false,
    summary: 'Skip an enrollment',
    description: 'No further attempt is made to reach the contact in this campaign.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Enrollment,
    run: (at, { params }) => enrollments.skip(at, params.id),
  }),
]
