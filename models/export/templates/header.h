{# Header of a model: what it reads, its arrays, and a function that scores; a template for each form extends it. #}
/* {{ title }}: {% block what %}{% endblock %} of {{ game.name }}, written by samuel.

   float {{ name }}_score({% block reads %}{% endblock %});

   The score for the side to move, in {{ game.scores.unit | comment }}.
{% block about %}{% endblock %}

   The arrays are static: include it in one file only{% block links %}{% endblock %}. */

#ifndef {{ name | upper }}_H
#define {{ name | upper }}_H

{% for key, values in arrays.items() %}
{{ values | define(name ~ "_" ~ key) }}
{% endfor %}

{% block helpers %}{% endblock %}
static float {{ name }}_score({{ self.reads() }})
{
{% block score %}{% endblock %}
}

#endif
