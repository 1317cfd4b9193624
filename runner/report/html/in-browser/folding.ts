/** Opens the folded block that a link of the contents, or the address, leads to. */
export function openWhereLinksLead(): void {
  const open = (): void => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = found?.closest('details');
    if (!folded || folded.open) return;
    folded.open = true;
    folded.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}
