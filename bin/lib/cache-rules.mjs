// Runs the public test suite for HTTP caches against a proxy: node cache-rules.mjs SUITE_FOLDER BASE_URL [TEST_ID]
import path from 'path'
import { pathToFileURL } from 'url'

/** Required tests that fail by choice: id (or its beginning, then '*') and the reason; docs/decisions/http-caching.md explains each. */
const CHOICES = {
  '304-etag-update-response-ETag': 'a 304 with another ETag than the stored one does not confirm the stored page (RFC 9111, 4.3.4)',
  '304-etag-update-response-Content-Length': 'the page has more bytes than its Content-Length: it is not stored',
  '304-etag-update-response-Set-Cookie': 'Set-Cookie is stored only with public or s-maxage',
  'headers-store-Content-Length': 'the page has more bytes than its Content-Length: it is not stored',
  'headers-store-Set-Cookie': 'Set-Cookie is stored only with public or s-maxage',
  'headers-store-Transfer-Encoding': 'a Transfer-Encoding other than chunked is refused',
  'age-parse-*': 'the package is older than RFC 9111 (5.1): of several ages the first counts, and one that is not a number is ignored',
  'surrogate-*': 'Surrogate-Control is a note of 2001, replaced by the targeted fields of RFC 9213 (CDN-Cache-Control)'
}

const [, , folder, base, only] = process.argv
const load = async file => import(pathToFileURL(path.join(folder, file)).href)
const { runTests, getResults } = await load('client/runner.mjs')
const { determineTestResult } = await load('lib/display.mjs')
const suites = (await load('tests/index.mjs')).default
suites.push((await load('tests/surrogate-control.mjs')).default)
const fetch = (await load('../node-fetch/lib/index.mjs')).default

const asked = suites
  .map(suite => ({ ...suite, tests: suite.tests.filter(test => !only || test.id === only) }))
  .filter(suite => suite.tests.length > 0)
if (asked.length === 0) {
  console.error(`check-cache-rules: there is no test '${only}'`)
  process.exit(2)
}
if (only) asked[0].tests[0].dump = true

await runTests(asked, fetch, false, base)
const results = getResults()
const PASSED = ['✅', 'Y']
const counts = new Map()
const failed = []
const notApplicable = []
const passed = new Set()
for (const suite of asked) {
  for (const test of suite.tests.filter(each => !each.browser_only)) {
    const kind = test.kind || 'required'
    const verdict = determineTestResult(suites, test.id, results, !only)[2]
    const count = counts.get(kind) || { passed: 0, failed: 0, notApplicable: 0 }
    counts.set(kind, count)
    if (PASSED.includes(verdict)) {
      count.passed++
      passed.add(test.id)
    } else if (verdict === '⚪️') {
      count.notApplicable++ // another test on which it depends did not pass
      if (kind === 'required') notApplicable.push(`${test.id} (needs ${test.depends_on})`)
    } else {
      count.failed++
      if (kind === 'required') failed.push(test.id)
    }
  }
}
for (const [kind, count] of counts) {
  console.log(`${kind}: ${count.passed} passed, ${count.failed} failed, ${count.notApplicable} not applicable`)
}
for (const id of notApplicable) {
  console.log(`  not applicable  ${id}`)
}
const choiceOf = id => Object.keys(CHOICES).find(key => key.endsWith('*') ? id.startsWith(key.slice(0, -1)) : id === key)
const surprises = failed.filter(id => !choiceOf(id))
for (const id of failed) {
  const choice = choiceOf(id)
  console.log(`  ${choice ? 'by choice' : 'FAILED   '}  ${id}: ${choice ? CHOICES[choice] : (results[id] || [])[1]}`)
}
const outdated = only ? [] : Object.keys(CHOICES).filter(key => !key.endsWith('*') && passed.has(key))
for (const key of outdated) {
  console.log(`  passes, but is listed as a choice: ${key}`)
}
process.exit(surprises.length + outdated.length > 0 ? 1 : 0)
