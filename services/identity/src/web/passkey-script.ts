/**
 * Script of the pages with passkeys. It shows the forms that work only with the script. In browsers without passkeys,
 * these forms stay hidden. When a form is submitted, the script gets options from the server, lets the authenticator
 * sign them, and submits the form with the result.
 */
export const PASSKEY_SCRIPT = `
"use strict";
if (window.PublicKeyCredential && PublicKeyCredential.parseRequestOptionsFromJSON) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const problem = form.querySelector("[role=alert]");
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.hidden = true;
      try {
        const answer = await fetch(form.dataset.options, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        const { options, problem: refused } = await answer.json();
        if (!options) throw new Error(refused);
        const credential = form.dataset.passkey === "create"
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
        form.elements.response.value = JSON.stringify(credential);
        form.submit();
      } catch (error) {
        problem.textContent = error.name === "Error" ? error.message : "The passkey was not used. Try again.";
        problem.hidden = false;
      }
    });
  }
}
`;
