// What git does without running a program that an option, an address or a setting names.
import type { Harmless, Use } from './harmless.ts'
import type { ShellWord } from './shell-words.ts'

const diff = `-p -u -s -U? -W -w -b -a -R -z -M? -C? -B? -D -l? -S: -G: -X? -r -t -c -m --patch --no-patch --unified= --function-context --raw
  --patch-with-raw --patch-with-stat --numstat --shortstat --dirstat? --cumulative --check --summary --name-only --name-status --stat?
  --stat-width= --stat-name-width= --stat-count= --compact-summary --binary --full-index --color? --ws-error-highlight= --abbrev?
  --src-prefix= --dst-prefix= --inter-hunk-context= --break-rewrites? --find-renames? --find-copies? --find-copies-harder --follow --minimal
  --renames --prefix --no-ext-diff --no-textconv --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines
  --ignore-matching-lines= --indent-heuristic --patience --histogram --diff-algorithm= --anchored= --word-diff? --word-diff-regex=
  --color-words? --color-moved? --color-moved-ws= --relative? --text --exit-code --quiet --ignore-submodules? --submodule? --pickaxe-all
  --pickaxe-regex --find-object= --diff-filter= --output> --cc --no-index --cached --staged --merge-base --default-prefix`
const log = `${diff} -# -n: -L: -g -i -E -F -P -q --oneline --graph --format= --pretty? --date= --all --branches? --tags? --remotes? --not --decorate?
  --decorate-refs= --decorate-refs-exclude= --since= --until= --after= --before= --author= --committer= --grep= --all-match --invert-grep
  --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --max-count= --skip= --reverse --merges --first-parent
  --no-walk? --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --full-history
  --ancestry-path? --topo-order --date-order --author-date-order --walk-reflogs --abbrev-commit --no-abbrev --source --show-signature --notes?
  --parents --children --relative-date --exclude= --glob= --min-parents= --max-parents= --count --objects --use-mailmap --mailmap --dense
  --diff-merges= --remove-empty --encoding= --expand-tabs? --log-size --full-diff --simplify-merges --show-pulls --stdin --max-age= --min-age=
  --disk-usage? --timestamp`
const merging = `-n -q -v -e -m: -F: -X: -S? --stat --summary --log? --squash --commit --edit --cleanup= --ff --ff-only --rerere-autoupdate --verify
  --verify-signatures --strategy= --strategy-option= --message= --file= --into-name= --verbose --quiet --abort --quit --continue
  --allow-unrelated-histories --progress --gpg-sign? --autostash --signoff`
const fetching = `-v -q -a -f -t -p -P -k -n -4 -6 -j: -o: --verbose --quiet --all --append --atomic --force --multiple --tags --jobs= --prefetch --prune --prune-tags
  --recurse-submodules? --dry-run --write-fetch-head --keep --update-head-ok --progress --depth= --shallow-since= --shallow-exclude=
  --deepen= --unshallow --refetch --update-shallow --refmap= --server-option= --ipv4 --ipv6 --negotiation-tip= --filter= --auto-gc
  --auto-maintenance --show-forced-updates --set-upstream`
const paths = '--pathspec-from-file= --pathspec-file-nul'
const switching = `-q -f -m -t -l -d -p --quiet --progress --force --ours --theirs --track? --detach --merge --conflict= --patch --guess --orphan=
  --recurse-submodules? --overlay --ignore-skip-worktree-bits --ignore-other-worktrees --overwrite-ignore ${paths}`
const picking = `-e -x -n -m: -s -S? -X: --quit --continue --abort --skip --cleanup= --edit --signoff --mainline= --rerere-autoupdate --strategy=
  --strategy-option= --gpg-sign? --ff --allow-empty --allow-empty-message --keep-redundant-commits --commit --reference`

/** Another one is a program `git-merge-NAME`. */
const strategy = /^(ort|recursive|resolve|octopus|ours|subtree)$/
const strategies = { '--strategy': strategy }
/** Not by a helper program (`ext::`), and not to a folder, whose hooks a push runs. */
const address = /^(?![\w+.-]+::)/
const url = /^(https?:\/\/|ssh:\/\/|git:\/\/|[\w.-]+@[\w.-]+:)/
const remoteName = /^[\w.-]*$/
const remoteOrUrl = new RegExp(`${url.source}|${remoteName.source}`)

/** A name may be that of a folder, too. */
function pushHarm(use: Use): string | undefined {
  const [first] = use.operands
  if (first === undefined || url.test(first.value ?? '/')) return undefined
  if (!remoteName.test(first.value ?? '/')) return first.text
  if (first.value !== '.') use.repository = first.value! // in `.` the project's own hooks run
  return undefined
}

/** The address behind the name of the remote is one. */
const addressHarm = ({ operands: [, second] }: Use): string | undefined =>
  second === undefined || url.test(second.value ?? '/') ? undefined : second.text
const any = (options: string): Harmless => ({ options, operands: address })

/** A push of the copy would run the hooks of the folder that it was made from. */
const cloneHarm = ({ operands: [first] }: Use): string | undefined =>
  first === undefined || url.test(first.value ?? '/') ? undefined : first.text

/** Settings that name no program, no file and no address. */
const setting = new RegExp(
  `^(${`user.name user.email init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune fetch.prunetags
  fetch.parallel rebase.autostash rebase.autosquash rebase.updaterefs rerere.enabled rerere.autoupdate merge.ff merge.conflictstyle
  merge.renamelimit commit.gpgsign commit.verbose tag.gpgsign tag.sort branch.sort branch.autosetuprebase branch.autosetupmerge
  diff.algorithm diff.colormoved diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix log.date log.decorate log.abbrevcommit
  log.showsignature status.short status.branch status.showuntrackedfiles core.autocrlf core.eol core.safecrlf core.filemode core.ignorecase
  core.quotepath core.longpaths core.abbrev core.symlinks core.precomposeunicode core.compression http.postbuffer http.lowspeedlimit
  http.lowspeedtime gc.auto feature.manyfiles submodule.recurse core.fscache`
    .split(/\s+/)
    .join('|')
    .replaceAll('.', '\\.')}|(color|advice|column)\\.[\\w.-]+|branch\\.[^=]+\\.(merge|rebase|description))$`,
  'i',
)
/** `core.fsmonitor=false` and its like only turn programs off. */
const off = /^(core\.pager=(cat|less)?|core\.fsmonitor=false|core\.editor=true)$/i

const isSetting = (text: string): boolean => setting.test(text.replace(/=[^]*$/, '')) || off.test(text)

/** A key with a value is one of the settings above; to look does no harm. */
function configHarm({ options, operands }: Use): string | undefined {
  const isLook = options.some(([name]) => /^(--(get.*|list|unset.*)|-l)$/.test(name))
  const [verb, ...others] = operands.map(({ value, text }) => value ?? text)
  if (/^(edit|(rename|remove)-section)$/.test(verb ?? '')) return verb
  const negation = options.find(([name]) => name.startsWith('--no-')) // it takes a look back
  if (negation !== undefined) return negation[0]
  if (isLook || verb === undefined || /^(get|list|unset)$/.test(verb)) return undefined
  const elsewhere = options.find(([name]) => /^--(global|system)$/.test(name)) // a file outside the project
  if (elsewhere !== undefined && others.length > 0) return elsewhere[0]
  const [key = '', value] = verb === 'set' ? others : [verb, ...others]
  return value === undefined || isSetting(key) || isSetting(`${key}=${value}`) ? undefined : key
}

const stash = '-p -k -u -a -q -S -m: --patch --keep-index --include-untracked --all --quiet --staged --message= --index --only-untracked'

const commands: Record<string, Harmless> = {
  add: any(`-n -v -i -p -e -f -u -A -N --dry-run --verbose --interactive --patch --edit --force --update --renormalize --intent-to-add --all
    --ignore-removal --refresh --ignore-errors --ignore-missing --sparse --chmod= ${paths}`),
  am: any(`-3 -q -s -u -k -c -i -p: -C: -S? --3way --quiet --signoff --keep --keep-cr --scissors --whitespace= --ignore-whitespace --directory= --exclude=
    --include= --patch-format= --reject --continue --resolved --skip --abort --quit --show-current-patch? --committer-date-is-author-date`),
  apply:
    any(`-p: -R -N -q -v -3 -C: --stat --numstat --summary --check --index --intent-to-add --cached --apply --3way --whitespace= --ignore-space-change
    --ignore-whitespace --reverse --unidiff-zero --reject --allow-overlap --verbose --quiet --recount --directory= --exclude= --include= --binary`),
  archive: any('-v -l -o> -# --format= --prefix= --output> --verbose --list --worktree-attributes --add-file='),
  bisect: {
    commands: Object.fromEntries('start good bad new old skip reset log terms'.split(' ').map((name) => [name, any('--first-parent')])),
  },
  blame:
    any(`${diff} -L: -e -f -n -l -c --porcelain --line-porcelain --incremental --show-name --show-number --show-email --date= --since= --ignore-rev=
    --ignore-revs-file= --root --reverse --first-parent --contents= --color-lines --color-by-age --show-stats`),
  branch:
    any(`-v -q -t -u: -r -a -d -D -m -M -c -C -l -f -i --verbose --quiet --track? --set-upstream-to= --unset-upstream --color? --remotes --contains --all
    --delete --move --copy --list --show-current --create-reflog --edit-description --force --merged --no-merged --column? --sort= --points-at=
    --ignore-case --recurse-submodules --format= --abbrev?`),
  'cat-file': any('-p -t -s -e --batch? --batch-check? --batch-command? --batch-all-objects --buffer --unordered --use-mailmap --path='),
  'check-attr': any('-a -z --all --cached --stdin'),
  'check-ignore': any('-q -v -n -z --quiet --verbose --stdin --non-matching --no-index --index'),
  checkout: any(`${switching} -b: -B:`),
  cherry: any('-v --abbrev?'),
  'cherry-pick': { ...any(picking), values: strategies },
  clean: any('-q -n -f -i -d -x -X -e: --quiet --dry-run --force --interactive --exclude='),
  clone: {
    ...any(`-v -q -n -l -s -4 -6 -b: -o: -j: --verbose --quiet --progress --local --shared --recurse-submodules? --recursive --jobs= --reference=
    --dissociate --origin= --branch= --depth= --shallow-since= --shallow-exclude= --single-branch --shallow-submodules --ipv4 --ipv6 --filter=
    --remote-submodules --sparse --checkout --hardlinks --tags --also-filter-submodules --server-option= --reject-shallow`),
    check: cloneHarm,
  },
  commit:
    any(`-a -q -v -F: -m: -c: -C: -s -e -i -p -o -n -z -u? -S? --quiet --verbose --file= --author= --date= --message= --reedit-message=
    --reuse-message= --fixup= --squash= --reset-author --trailer= --signoff --edit --cleanup= --status --gpg-sign? --all --include --interactive
    --patch --only --dry-run --short --branch --ahead-behind --porcelain --long --null --amend --untracked-files? --allow-empty
    --allow-empty-message --verify --post-rewrite ${paths}`),
  'commit-tree': any('-p: -m: -F: -S?'),
  config: {
    options: `-l -z -f: --global --local --system --worktree --file= --blob= --get --get-all --get-regexp --get-urlmatch --add --replace-all --unset
      --unset-all --list --name-only --null --type= --bool --int --bool-or-int --path --show-origin --show-scope --includes --default= --all
      --regexp --show-names --value= --fixed-value`,
    check: configHarm,
  },
  'count-objects': any('-v -H --verbose --human-readable'),
  describe: any(
    '--contains --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match= --exclude= --always --dirty? --broken?',
  ),
  diff: any(`${diff} -# --base --ours --theirs -q`),
  'diff-files': any(diff),
  'diff-index': any(diff),
  'diff-tree': any(`${log} --root --always --no-commit-id`),
  fetch: any(fetching),
  'for-each-ref': any(
    '--count= --format= --color? --sort= --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --exclude= --stdin',
  ),
  'format-patch':
    any(`${log} -k -n -s -N -o> -v: --output-directory> --numbered --signoff --stdout --cover-letter --numbered-files --suffix= --start-number=
    --reroll-count= --rfc --subject-prefix= --keep-subject --zero-commit --to= --cc= --from? --in-reply-to= --attach? --inline? --thread?
    --signature= --base= --interdiff= --range-diff=`),
  fsck: any(
    '--verbose --unreachable --dangling --tags --root --cache --reflogs --full --connectivity-only --strict --progress --name-objects',
  ),
  gc: any('-q --quiet --prune? --aggressive --auto --force --keep-largest-pack'),
  grep: any(`-v -i -w -a -I -r -E -G -F -P -n -h -H -l -L -z -o -c -p -W -q -f: -e: -# -A: -B: -C: -m: --cached --untracked --exclude-standard
    --recurse-submodules --invert-match --ignore-case --word-regexp --text --recursive --max-depth= --extended-regexp --basic-regexp
    --fixed-strings --perl-regexp --line-number --column --full-name --files-with-matches --name-only --files-without-match --null
    --only-matching --count --color? --break --heading --context= --before-context= --after-context= --threads= --show-function
    --function-context --and --or --not --quiet --all-match --max-count= --index --no-index`),
  'hash-object': any('-w -t: --stdin --path= --no-filters --literally'),
  help: any('-a -g --all --guides'),
  init: any('-q -b: --quiet --initial-branch= --object-format='),
  lfs: {
    commands: Object.fromEntries(
      'install pull fetch ls-files track untrack status env push'.split(' ').map((name) => [name, any('--all --local')]),
    ),
  },
  log: any(log),
  'ls-files':
    any(`-c -d -m -o -i -s -k -t -v -f -u -z -x: -X: --cached --deleted --modified --others --ignored --stage --killed --directory --eol
    --empty-directory --unmerged --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --full-name --recurse-submodules
    --error-unmatch --with-tree= --abbrev? --deduplicate --sparse --format= --debug`),
  'ls-remote': any('-q -t -h -b --quiet --tags --heads --branches --refs --get-url --sort= --exit-code --symref'),
  'ls-tree': any('-r -d -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev?'),
  merge: { ...any(`${merging} -s:`), values: { ...strategies, '-s': strategy } },
  'merge-base': any('-a --all --octopus --independent --is-ancestor --fork-point'),
  'merge-tree': any('-z --write-tree --trivial-merge --messages --name-only --allow-unrelated-histories --merge-base='),
  mv: any('-v -n -f -k --verbose --dry-run --force --sparse'),
  'name-rev': any('--name-only --tags --refs= --exclude= --all --always --undefined --annotate-stdin'),
  notes: any('-f -m: -F: --ref= --force --message= --file= --ignore-missing'),
  'pack-refs': any('--all --prune'),
  prune: any('-n -v --dry-run --verbose --progress --expire='),
  pull: { ...any(`${fetching} ${merging} -r? -s: --rebase?`), values: { ...strategies, '-s': strategy } },
  push: {
    ...any(`-v -q -n -f -d -u -4 -6 -o: --verbose --quiet --all --branches --mirror --delete --tags --dry-run --porcelain --force --force-with-lease?
      --force-if-includes --recurse-submodules= --thin --set-upstream --progress --prune --verify --follow-tags --signed? --atomic --push-option=
      --ipv4 --ipv6`),
    check: pushHarm,
  },
  'range-diff': any(`${diff} --creation-factor= --left-only --right-only --dual-color`),
  rebase: {
    ...any(`-q -v -n -f -i -m -k -S? -X: -s: -C: -r? --onto= --keep-base --quiet --verbose --signoff --committer-date-is-author-date --reset-author-date
      --ignore-date --ignore-whitespace --whitespace= --force-rebase --continue --skip --abort --quit --edit-todo --show-current-patch --apply
      --merge --interactive --rerere-autoupdate --empty= --keep-empty --autosquash --update-refs --gpg-sign? --autostash --rebase-merges?
      --fork-point --strategy= --strategy-option= --root --reapply-cherry-picks --verify --stat --ff`),
    values: { ...strategies, '-s': strategy },
  },
  reflog: any(`${log} --expire= --expire-unreachable= --dry-run --rewrite --updateref --verbose`),
  remote: {
    options: '-v --verbose',
    commands: Object.fromEntries(
      'add remove rm rename show get-url set-url prune update set-head set-branches'.split(' ').map((name) => [
        name,
        {
          options: '-f -t: -m: -n -p -a -d --fetch --tags --push --all --add --delete --auto --prune --dry-run',
          operands: remoteOrUrl,
          ...(/^(add|set-url)$/.test(name) && { check: addressHarm }),
        },
      ]),
    ),
  },
  rerere: any(''),
  reset: any(`-q -p -N --quiet --mixed --soft --hard --merge --keep --recurse-submodules? --patch --intent-to-add --refresh ${paths}`),
  restore: any(`${switching} -s: -S -W --source= --staged --worktree --ignore-unmerged`),
  'rev-list': any(log),
  'rev-parse':
    any(`${log} --short? --verify --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir
    --git-path= --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --revs-only
    --flags --no-flags --no-revs --default= --sq --show-superproject-working-tree --show-object-format? --local-env-vars --shared-index-path`),
  revert: { ...any(picking), values: strategies },
  rm: any(`-n -q -f -r --dry-run --quiet --cached --force --ignore-unmatch --sparse ${paths}`),
  shortlog: any(`${log} -s -n -e -c -w? --numbered --summary --email --group=`),
  show: any(log),
  'show-branch': any('-a -r --all --remotes --current --list --topo-order --sha1-name --no-name'),
  'show-ref': any('-d -s? -q --tags --heads --branches --verify --head --dereference --hash? --abbrev? --quiet --exists'),
  'sparse-checkout': any('--cone --no-cone --sparse-index --stdin --skip-checks'),
  stash: {
    ...any(stash),
    isApart: true,
    commands: {
      push: any(`${stash} ${paths}`),
      save: any(stash),
      list: any(log),
      show: any(`${log} -u --include-untracked --only-untracked`),
      ...Object.fromEntries(
        'pop apply drop clear branch create store'.split(' ').map((name) => [name, any('-q -m: --quiet --index --message=')]),
      ),
    },
  },
  status:
    any(`-v -s -b -z -u? --verbose --short --branch --show-stash --ahead-behind --porcelain? --long --null --untracked-files? --ignored?
    --ignore-submodules? --column? --find-renames? --renames`),
  stripspace: any('-s -c'),
  submodule: {
    options: '-q --quiet --cached',
    commands: Object.fromEntries(
      'add status init deinit update summary sync absorbgitdirs set-branch set-url'.split(' ').map((name) => [
        name,
        any(`-b: -f -N -n: -j: -d --branch= --force --name= --reference= --depth= --init --recursive --remote --checkout --merge --rebase --jobs=
            --all --single-branch --recommend-shallow --progress --default --filter= --files`),
      ]),
    ),
  },
  switch: any(`${switching} -c: -C: --create= --force-create= --discard-changes`),
  'symbolic-ref': any('-q -d -m: --quiet --delete --short --recurse'),
  tag: any(`-l -d -v -n? -a -m: -F: -e -s -u: -f -i --list --delete --verify --annotate --message= --file= --edit --sign --cleanup= --local-user= --force
    --create-reflog --column? --contains --no-contains --merged --no-merged --sort= --points-at --format= --color? --ignore-case --trailer=`),
  'update-index':
    any(`-q --refresh --really-refresh --add --remove --force-remove --chmod= --assume-unchanged --skip-worktree --cacheinfo= --info-only --stdin
    --index-info --again --verbose --ignore-missing --ignore-submodules --replace --unmerged -z`),
  'update-ref': any('-d -m: --no-deref --create-reflog --stdin -z'),
  var: any('-l'),
  'verify-commit': any('-v --raw --verbose'),
  'verify-tag': any('-v --raw --verbose --format='),
  version: any('--build-options'),
  whatchanged: any(log),
  worktree: {
    commands: Object.fromEntries(
      'add list remove prune lock unlock move repair'.split(' ').map((name) => [
        name,
        any(`-f -b: -B: -d -n -v -q -z --force --detach --checkout --lock --reason= --quiet --track --guess-remote --orphan --porcelain --dry-run
            --expire= --verbose`),
      ]),
    ),
  },
  'write-tree': any('--missing-ok --prefix='),
}

export const git: Harmless = {
  options: `-C: -c: -p -P -v -h --paginate --no-pager --git-dir= --work-tree= --no-replace-objects --no-optional-locks --literal-pathspecs
    --glob-pathspecs --icase-pathspecs --version --help --exec-path --html-path --man-path --no-lazy-fetch --no-advice`,
  values: {
    '--git-dir': /(^|\/)\.git\/?$/,
    '--work-tree': /^(?!.*\.git(\/|$))/i,
    '-C': /^(?!(.*\/)?\.git(\/|$))/i,
    '-c': { test: isSetting },
  },
  isApart: true,
  commands,
}

/** The same without the options before the command, so that a rule for `git push *` speaks of `git -C x push` as well. */
export function gitPlain(words: readonly ShellWord[]): readonly ShellWord[] {
  const valued = /^(-C|-c|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source)$/
  let at = 1
  while (words[at]?.value?.startsWith('-') === true) at += valued.test(words[at]!.value!) ? 2 : 1
  return [...words.slice(0, 1), ...words.slice(at)]
}
