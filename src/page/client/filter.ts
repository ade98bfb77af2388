/** Finds checks by name. */
export interface Filter {
  /** To be called after the checks were drawn. */
  apply(checks: number): void;
}

/** Fewer are seen at a glance. */
const WORTH_IT = 8;

/** Creates the field above the checks; without JavaScript there is none. */
export function createFilter(): Filter {
  const field = document.createElement('input');
  field.type = 'search';
  field.id = 'filter-field';
  field.autocomplete = 'off';
  const label = document.createElement('label');
  label.append('Find a check ', field);
  const found = document.createElement('output');
  found.htmlFor.add(field.id);
  const place = document.getElementById('filter');
  place?.append(label, ' ', found);
  if (place !== null) place.hidden = true;
  field.addEventListener('input', () => hideOthers(field.value, found));
  return {
    apply(checks) {
      if (place !== null) place.hidden = checks < WORTH_IT && field.value === '';
      hideOthers(field.value, found);
    },
  };
}

function hideOthers(wanted: string, found: HTMLOutputElement): void {
  const needle = wanted.trim().toLowerCase();
  let shown = 0;
  const items = document.querySelectorAll<HTMLElement>('li.check');
  for (const item of items) {
    item.hidden = !(item.dataset['name'] ?? '').toLowerCase().includes(needle);
    if (!item.hidden) shown += 1;
  }
  for (const group of document.querySelectorAll<HTMLElement>('.group')) {
    group.hidden = group.querySelector('li.check:not([hidden])') === null;
  }
  const text = needle === '' ? '' : `${shown} of ${items.length}`;
  if (found.textContent !== text) found.textContent = text;
}
