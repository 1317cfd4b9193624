/** Made from in-browser/ by `npm run generate`. */
export const pageScript: string =
  '"use strict";(()=>{function t(){let e=()=>{let n=document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");!n||n.open||(n.open=!0,n.scrollIntoView())};addEventListener("hashchange",e),e()}function r(){let e=[];addEventListener("beforeprint",()=>{e=[...document.querySelectorAll("details:not([open])")];for(let o of e)o.open=!0}),addEventListener("afterprint",()=>{for(let o of e)o.open=!1})}t();r();})();';
